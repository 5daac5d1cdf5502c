import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chartValues } from "../../../../provider/kits/contents/chartValues.ts";
import type { KitImage } from "../../../../provider/kits/contents/kitImage.ts";
import { yamlText } from "../../../../provider/kits/contents/yamlText.ts";

const SHA256 = "ab".repeat(32);
const bundle = {
  path: "x",
  format: "tar.gz",
  sha256: SHA256,
  size: 1,
  version: "v1",
  root: "",
  leftOut: [],
} as const;
const image = (name: string, digit: string, isSite = false): KitImage => ({
  name,
  isSite,
  top: { digest: `sha256:${digit.repeat(64)}`, mediaType: "", bytes: Buffer.alloc(0) },
  platforms: ["linux/amd64"],
});
const images = [image("nginx:1", "1"), image("site:v1", "2", true)];
const valuesOf = (...args: Parameters<typeof chartValues>): unknown => parse(chartValues(...args));

describe("values.yaml", () => {
  test("has the site's image by digest, where the registry is not known yet", () => {
    expect(valuesOf({ ...bundle, jobId: "j1" }, images, {})).toEqual({
      staticExport: { enabled: true, version: "v1", jobId: "j1" },
      siteImage: `registry.invalid/kit/site@sha256:${"2".repeat(64)}`,
    });
  });

  test("has the digest of the archive where no image has the site", () => {
    expect(valuesOf(bundle, [], {})).toEqual({
      staticExport: { enabled: true, version: "v1" },
      fetch: { sha256: SHA256 },
    });
  });

  test("has the user's own values above these, group by group; images of the kit by digest, at any path", () => {
    const given = {
      staticExport: { version: "mine" },
      replicas: 3,
      sidecars: [{ image: "registry.invalid/kit/nginx:1" }, "registry.invalid/kit/other:1"],
    };
    expect(valuesOf(bundle, images, given)).toEqual({
      staticExport: { enabled: true, version: "mine" },
      siteImage: `registry.invalid/kit/site@sha256:${"2".repeat(64)}`,
      replicas: 3,
      sidecars: [
        { image: `registry.invalid/kit/nginx@sha256:${"1".repeat(64)}` },
        "registry.invalid/kit/other:1",
      ],
    });
  });
});

describe("YAML for people", () => {
  test("has groups as blocks, and texts in quotes", () => {
    const text = yamlText({ a: { b: [1, { c: "x", d: [] }, [true]], e: {} }, no: null, "x y": "#1: z" });
    expect(text).toBe(
      'a:\n  b:\n    - 1\n    - c: "x"\n      d: []\n    - - true\n  e: {}\n"no": null\nx y: "#1: z"\n',
    );
    expect(yamlText({})).toBe("{}\n");
    // not every reader of YAML reads these as written
    expect(yamlText({ "\u0085": 1 })).toBe('"\\u0085": 1\n');
    expect(yamlText({ a: "\u007f\u0085\u2028\ufeff" })).toBe('a: "\\u007f\\u0085\\u2028\\ufeff"\n');
  });

  test("quotes every key that a reader of YAML 1.1 would misread", () => {
    for (const key of [
      "<<",
      "=",
      "~",
      "0x1",
      "1_0",
      ".5",
      "",
      "yes",
      "No",
      "y",
      "on",
      "null",
      "true",
      "- a",
      "? a",
    ]) {
      expect(yamlText({ [key]: { a: 1 } })).toBe(`${JSON.stringify(key)}:\n  a: 1\n`);
    }
    for (const key of ["a", "replicas", "x y", "a.b/c-d_e", "yess"]) {
      expect(yamlText({ [key]: "1:30" })).toBe(`${key}: "1:30"\n`);
    }
    expect(yamlText({ a: "\ufffe\uffff" })).toBe('a: "\\ufffe\\uffff"\n');
  });

  test("is read back as written, with any content, also by rules of version 1.1", () => {
    const awkward = fc.constantFrom(
      "<<",
      "=",
      "~",
      "0x1",
      "0o7",
      "1_000",
      "1:30",
      "yes",
      "No",
      "off",
      ".inf",
      "2001-01-01",
      "null",
    );
    const key = fc.oneof(
      awkward,
      fc.string({ unit: "binary" }).filter((text) => text !== "__proto__"),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        awkward,
        fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
        fc.string({ unit: "binary" }),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }), (values) => {
        for (const version of ["1.1", "1.2"] as const) {
          expect(parse(yamlText(values), { version, merge: version === "1.1" })).toEqual(values);
        }
      }),
    );
  });
});
