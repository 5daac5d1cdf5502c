import { expect, test } from "vitest";
import {
  credentialSources,
  helperCredential,
} from "../../../../../provider/publishing/images/registry/dockerConfiguration.ts";

const REPOSITORY = { host: "registry.internal:5000", path: "docs/site" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");

test.each(["registry.internal:5000", "https://registry.internal:5000", "http://registry.internal:5000/v1/"])(
  "the key %s is the registry's",
  (key) => {
    expect(credentialSources({ auths: { [key]: { auth: base64("me:a:b") } } }, REPOSITORY)).toEqual([
      { credential: { username: "me", password: "a:b" } },
    ]);
  },
);

test.each([
  "registry.internal",
  "registry.internal:500",
  "x.registry.internal:5000",
  "registry.internal:5000/docs/si",
  "other",
])("the key %s is another registry's", (key) => {
  expect(credentialSources({ auths: { [key]: { auth: base64("me:a") } } }, REPOSITORY)).toEqual([]);
});

test("the closest path has priority, a helper over the file's own entry, the registry's own helper over the general one", () => {
  const configuration = {
    auths: {
      "registry.internal:5000": { username: "registry", password: "1" },
      "registry.internal:5000/docs": { username: "folder", password: "2" },
      "registry.internal:5000/docs/site": { identitytoken: "3" },
    },
    credsStore: "general",
    credHelpers: { "registry.internal:5000": "own" },
  };
  expect(credentialSources(configuration, REPOSITORY)).toEqual([
    { helper: "own", server: "registry.internal:5000" },
    { helper: "general", server: "registry.internal:5000" },
    { credential: { identityToken: "3" } },
    { credential: { username: "folder", password: "2" } },
    { credential: { username: "registry", password: "1" } },
  ]);
});

test.each(["https://index.docker.io/v1/", "docker.io", "registry-1.docker.io"])(
  "Docker's own registry is also known as %s, and to helpers by its old address",
  (key) => {
    const docker = { host: "docker.io", path: "library/nginx" };
    expect(credentialSources({ auths: { [key]: { auth: base64("me:a") } } }, docker)).toHaveLength(1);
    expect(credentialSources({ credsStore: "x" }, docker)).toEqual([
      { helper: "x", server: "https://index.docker.io/v1/" },
    ]);
  },
);

test.each([
  undefined,
  null,
  [],
  "text",
  { auths: [] },
  { auths: { "registry.internal:5000": {} } },
  { auths: { "registry.internal:5000": { auth: "" } } },
  { auths: { "registry.internal:5000": { auth: base64("no colon") } } },
  { auths: { "registry.internal:5000": { username: "me" } } },
  { credsStore: "../../bin/sh" },
  { credsStore: 1 },
])("nothing is read from %j", (configuration) => {
  expect(credentialSources(configuration, REPOSITORY)).toEqual([]);
});

test("the output of a helper is a password, or an identity token where the name says so", () => {
  expect(helperCredential({ Username: "me", Secret: "a" })).toEqual({ username: "me", password: "a" });
  expect(helperCredential({ Username: "<token>", Secret: "a" })).toEqual({ identityToken: "a" });
  for (const none of [undefined, {}, { Username: "me", Secret: "" }, { Secret: "a" }]) {
    expect(helperCredential(none)).toBeUndefined();
  }
});
