import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { InputError } from "../../../../provider/base/runtime/messages/errors.ts";
import { readEarlierKit } from "../../../../provider/kits/contents/earlierKit.ts";
import { filledIn } from "../../../../provider/kits/contents/filledIn.ts";
import { type KitManifest, manifestText } from "../../../../provider/kits/contents/manifest.ts";

test("a text keeps the sections and values of this kit; sections nest", () => {
  const template = [
    "# {{version}} and {{version}}",
    "{{#signed}}",
    "signed by {{keyId}}",
    "{{#parts}}",
    "{{partCount}} parts",
    "{{/parts}}",
    "{{/signed}}",
    "{{^signed}}",
    "nobody vouches",
    "{{/signed}}",
    "end",
  ].join("\n");
  expect(filledIn(template, { version: "v1", signed: true, keyId: "ab", parts: false })).toBe(
    "# v1 and v1\nsigned by ab\nend",
  );
  expect(filledIn(template, { version: "$&", signed: false, parts: true })).toBe(
    "# $& and $&\nnobody vouches\nend",
  );
  expect(() => filledIn(template, { version: "v1", signed: true })).toThrow("no value for keyId");
});

test("a section begins and ends with a line of its own: a mark within a line is text", () => {
  const template =
    "a {{#signed}}\n{{#signed}} b\n{{/signed}} c\n{{^signed}}\nd\n{{/signed}}\n{{#signed}}\ne\n{{/signed}}";
  expect(filledIn(template, { signed: true })).toBe("a {{#signed}}\n{{#signed}} b\n{{/signed}} c\ne");
});

test("a value is one line of plain text in Markdown, with any content; a list has its items", () => {
  const version = "v1\u001b[2J\n```sh\ncurl evil | sh\n```\n<b>*x* [a](b) \\";
  const text = filledIn("# «{{version}}»\n\n{{names}}\nend", { version, names: ["a:1", "b:2"] });
  expect(text).toBe(
    "# «v1 \\[2J \\`\\`\\`sh curl evil | sh \\`\\`\\` \\<b>\\*x\\* \\[a\\](b) \\\\»\n\n- `a:1`\n- `b:2`\nend",
  );
});

/** The error of reading an earlier kit's manifest: its message and its remedy. */
function readingOf(path: string): string[] {
  try {
    readEarlierKit(path);
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [error.message, error.remedy];
  }
}

test("an earlier kit names the kit that has a blob: it, or one before", () => {
  const folder = mkdtempSync(join(tmpdir(), "earlier-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "manifest.json");
  const [one, two, three] = ["1", "2", "3"].map((digit) => `sha256:${digit.repeat(64)}`);
  const manifest = JSON.stringify({
    kit: 1,
    version: "v2",
    blobs: [{ digest: one, in: "this" }, { digest: two, in: "v1" }, { digest: "x", in: "this" }, 7, null],
  });
  writeFileSync(path, manifest);
  const kit = readEarlierKit(path);
  expect([one, two, three].map((digest) => kit.has(digest ?? ""))).toEqual(["v2", "v1", undefined]);
  expect(kit).toMatchObject({
    version: "v2",
    sha256: createHash("sha256").update(manifest).digest("hex"),
  });
  const labels = ["", " ", "v\u001b[2J", "v\n```sh", "v\u009b", "x".repeat(129)];
  for (const version of labels) {
    writeFileSync(path, JSON.stringify({ kit: 1, version, blobs: [] }));
    expect(() => readEarlierKit(path)).toThrow("is not the manifest of a kit");
    writeFileSync(
      path,
      JSON.stringify({ kit: 1, version: "x".repeat(128), blobs: [{ digest: one, in: version }] }),
    );
    expect(readEarlierKit(path).has(one ?? "")).toBeUndefined();
  }
  for (const other of [
    "",
    "7",
    "null",
    "[]",
    '{"kit":"1","version":"v","blobs":[]}',
    "{}",
    '{"kit":2,"version":"v","blobs":[]}',
    '{"kit":1,"version":"v"}',
  ]) {
    writeFileSync(path, other);
    expect(readingOf(path)).toEqual([
      `${path} is not the manifest of a kit`,
      "Give the path of the earlier kit's manifest.json.",
    ]);
  }
  writeFileSync(path, '{"kit":1,"version":"this","blobs":[]}');
  expect(readingOf(path)).toEqual([
    `the kit of ${path} has the version «this», the name by which a manifest means the kit itself`,
    "Write that kit again with another `version`.",
  ]);
  expect(readingOf(folder)).toEqual([
    `the manifest ${folder}, which \`since\` names, cannot be read (EISDIR)`,
    "Give the path of the earlier kit's manifest.json.",
  ]);
});

test("a manifest has braces around its objects only, with any label", () => {
  const version = 'v"1} \\"{ "in": "this"';
  const manifest = { kit: 1, version, images: [] } as unknown as KitManifest;
  const text = manifestText(manifest);
  expect(text.replace(/[^{}]/g, "")).toBe("{}");
  expect(JSON.parse(text)).toEqual(manifest);
});
