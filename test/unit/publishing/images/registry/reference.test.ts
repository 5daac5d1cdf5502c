import { expect, test } from "vitest";
import {
  baseProblem,
  parseBase,
  parseRepository,
  pinned,
  repositoryProblem,
  tagProblem,
} from "../../../../../provider/publishing/images/registry/reference.ts";

const DIGEST = `sha256:${"0a".repeat(32)}`;

test.each([
  ["registry.internal/docs/site", { host: "registry.internal", path: "docs/site" }],
  ["localhost/site", { host: "localhost", path: "site" }],
  ["127.0.0.1:5000/a", { host: "127.0.0.1:5000", path: "a" }],
  ["[::1]:5000/a/b_c/d__e/f--g", { host: "[::1]:5000", path: "a/b_c/d__e/f--g" }],
  ["Registry/a", { host: "Registry", path: "a" }],
  ["docker.io/me/site", { host: "docker.io", path: "me/site" }],
])("%s is a repository", (text, parsed) => {
  expect(repositoryProblem(text)).toBeUndefined();
  expect(parseRepository(text)).toEqual(parsed);
});

test.each([
  ["docs/site", "must begin with the registry's host"],
  ["site", "must begin with the registry's host"],
  ["", "must begin with the registry's host"],
  ["registry.internal/", "has no usable path"],
  ["registry.internal/Docs", "has no usable path"],
  ["registry.internal/a//b", "has no usable path"],
  ["registry.internal/a/../b", "has no usable path"],
  ["registry.internal/a?b", "has no usable path"],
  ["https://registry.internal/a", "must not begin with «https://»"],
  ["me@registry.internal/a", "must begin with"],
  ["registry.internal:99999/a", "has no usable host"],
  ["registry.internal:0/a", "has no usable host"],
  ["-registry.internal/a", "has no usable host"],
  [`registry.internal/${"a".repeat(256)}`, "more than 255"],
  ["registry.internal/a:1", "must not have a tag: give 1 as `tag`"],
  [`registry.internal/a@${DIGEST}`, "must not have a digest"],
  ["registry.internal/a@sha256:12", "no usable digest"],
  ["registry.internal/a:", "no usable tag"],
])("%j is no repository to write to: it %s", (text, problem) => {
  expect(repositoryProblem(text)).toContain(problem);
  expect(repositoryProblem(text)).not.toContain("\n");
});

test.each([
  ["nginx", { host: "docker.io", path: "library/nginx", tag: "latest" }],
  ["nginx:1.30", { host: "docker.io", path: "library/nginx", tag: "1.30" }],
  ["me/nginx", { host: "docker.io", path: "me/nginx", tag: "latest" }],
  ["docker.io/nginx:1", { host: "docker.io", path: "library/nginx", tag: "1" }],
  ["quay.io:443/a/b:v1", { host: "quay.io:443", path: "a/b", tag: "v1" }],
  [`quay.io/a@${DIGEST}`, { host: "quay.io", path: "a", digest: DIGEST }],
  [`quay.io/a:v1@${DIGEST}`, { host: "quay.io", path: "a", tag: "v1", digest: DIGEST }],
])("%s is a base", (text, parsed) => {
  expect(baseProblem(text)).toBeUndefined();
  expect(parseBase(text)).toEqual(parsed);
});

test("an invalid base is reported with the reason, and never parsed", () => {
  expect(baseProblem("NGINX")).toContain("has no usable path");
  expect(() => parseBase("nginx:")).toThrow('"nginx:" has no usable tag');
  expect(() => parseRepository("nginx")).toThrow("must begin with the registry's host");
});

test("tags have at most 128 letters, digits and marks, none of which is the first", () => {
  for (const tag of ["v1", "_", "A.b-c_9", "x".repeat(128)]) expect(tagProblem(tag)).toBeUndefined();
  for (const tag of ["", "-a", ".a", "a/b", "ä", "x".repeat(129)]) {
    expect(tagProblem(tag)).toContain("must be");
  }
});

test("an image has one spelling, which no other image has", () => {
  expect(pinned({ host: "h:1", path: "a/b" }, DIGEST)).toBe(`h:1/a/b@${DIGEST}`);
});

test("of a long wrong name, the message has the beginning", () => {
  expect(baseProblem(`r.internal/${"A".repeat(80)}`)).toContain(`: "${"A".repeat(80)}". Parts`);
  expect(baseProblem(`r.internal/${"A".repeat(81)}`)).toContain(`: "${"A".repeat(80)}…". Parts`);
});

test("a path has at most 255 characters, a port is at most 65535", () => {
  expect(repositoryProblem(`r.internal/${"a".repeat(255)}`)).toBeUndefined();
  expect(repositoryProblem("r.internal:65535/a")).toBeUndefined();
  expect(repositoryProblem("r.internal:65536/a")).toContain("has no usable host");
});

test("no name contains another line, which a message would show", () => {
  for (const name of ["r.internal/a\n", "r.internal\n/a", "r.internal/a:v1\n", `r.internal/a@${DIGEST}\n`]) {
    expect(baseProblem(name)).toBeDefined();
    expect(baseProblem(name)).not.toContain("\n");
  }
});
