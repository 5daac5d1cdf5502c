import { describe, expect, test } from "vitest";
import {
  isWanted,
  nameInKit,
  nameProblem,
  platformProblem,
  platformText,
  siteName,
} from "../../../../provider/kits/contents/kitImage.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;

describe("the name of an image in a kit", () => {
  test.each([
    ["nginx", "nginx:latest"],
    ["nginxinc/nginx-unprivileged:1.30-alpine", "nginx-unprivileged:1.30-alpine"],
    ["registry.internal:5000/a/b/nginx:1", "nginx:1"],
    [`registry.internal/nginx:1@${DIGEST}`, "nginx:1"],
    [`registry.internal/nginx@${DIGEST}`, "nginx:sha256-abababababab"],
  ])("of %s is %s", (reference, name) => {
    expect(nameInKit(reference)).toBe(name);
  });

  test.each([
    ["v1.2.3", "site:v1.2.3"],
    ["v 1/2: «new»", "site:v-1-2-new-"],
    ["-.x", "site:x"],
    ["ü", "site:latest"],
    ["a".repeat(128), `site:${"a".repeat(128)}`],
    [` ${"a".repeat(127)}b`, `site:${"a".repeat(127)}b`],
  ])("of the site labelled %j is %s", (version, name) => {
    expect(siteName(version)).toBe(name);
  });

  test("belongs to one image only", () => {
    expect(nameProblem(["a.example/nginx:1", "a.example/nginx:2", "a.example/website:1"])).toBeUndefined();
    expect(nameProblem(["a.example/nginx", "b.example/nginx:latest"])).toBe(
      "two of them would be nginx:latest in the kit, because names there have no registry: give one of them another tag",
    );
    expect(nameProblem(["a.example/x/site:v1"])).toBe(
      "site:v1 is the name of the site's own image in the kit",
    );
  });
});

describe("a platform", () => {
  test.each([
    ["linux/amd64", true],
    ["linux/arm64/v8", true],
    ["windows/amd64", false],
    ["linux", false],
    ["linux/AMD64", false],
    ["linux/amd64/", false],
    ["a linux/amd64", false],
    ["linux/arm/v7.1", true],
    ["linux/arm64/v8/x", false],
    ["linux//v8", false],
  ])("%s is one that sites are served on: %s", (text, isOne) => {
    expect(platformProblem(text)).toBe(isOne ? undefined : 'must be like "linux/amd64" or "linux/arm64"');
  });

  test.each<[wanted: string[], variant: string | undefined, isOne: boolean]>([
    [["linux/arm64"], undefined, true],
    [["linux/arm64"], "v8", true],
    [["linux/arm64/v8"], "v8", true],
    [["linux/arm64/v7"], "v8", false],
    [["linux/amd64", "linux/arm64"], "v8", true],
    [["linux/amd64"], undefined, false],
    [["linux/arm64/undefined"], undefined, false],
  ])("of %j, linux/arm64 with the variant %s is wanted: %s", (wanted, variant, isOne) => {
    const platform = { os: "linux", architecture: "arm64", ...(variant !== undefined && { variant }) };
    expect(isWanted(wanted, platform)).toBe(isOne);
  });

  test("is a text with its variant", () => {
    expect(platformText({ os: "linux", architecture: "arm", variant: "v7" })).toBe("linux/arm/v7");
  });
});
