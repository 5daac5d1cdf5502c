// Cutting a kit into parts; writeKit.test.ts joins and verifies them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { list } from "tar";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { writeParts } from "../../../../provider/kits/contents/parts.ts";

const { signal } = new AbortController();
let folder: string;
let into: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parts-"));
  into = join(folder, "parts");
  mkdirSync(into);
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** Cuts a kit with these files. @returns the number of parts */
function cut(files: Readonly<Record<string, string>>, partSize: number): Promise<number> {
  const kit = join(folder, "kit");
  const summed = Object.entries(files).map(([path, content]) => {
    mkdirSync(dirname(join(kit, path)), { recursive: true });
    writeFileSync(join(kit, path), content);
    return { path, size: content.length, sha256: "" };
  });
  return writeParts(kit, summed, into, partSize, signal);
}
const sizes = (): number[] => readdirSync(into).map((name) => statSync(join(into, name)).size);

/** The tar of one file of at most one block: headers of its folder and of itself, the file, and two blocks at the end. */
const TAR_BYTES = 5 * 512;

test.each([
  [TAR_BYTES, [TAR_BYTES]],
  [TAR_BYTES / 2, [TAR_BYTES / 2, TAR_BYTES / 2]],
  [TAR_BYTES - 1, [TAR_BYTES - 1, 1]],
  [TAR_BYTES + 1, [TAR_BYTES]],
])("parts of %i bytes are full except the last one, and none is empty", async (partSize, expected) => {
  expect(await cut({ a: "x" }, partSize)).toBe(expected.length);
  expect(sizes()).toEqual(expected);
});

test("the joined parts are one tar: each folder once, before its files, and only scripts may be run", async () => {
  const files = { "a.sh": "x", "b/c/d": "y".repeat(512), "b/c/e": "", "b/f": "z", "g.sh.txt": "" };
  const count = await cut(files, 1_000);
  const names = readdirSync(into);
  expect(names).toHaveLength(count);
  expect(names[0]).toBe("kit.tar.001");
  const tar = join(folder, "kit.tar");
  writeFileSync(tar, Buffer.concat(names.map((name) => readFileSync(join(into, name)))));
  const entries: unknown[] = [];
  list({ file: tar, sync: true, onReadEntry: ({ path, size, mode }) => entries.push([path, size, mode]) });
  expect(entries).toEqual([
    ["kit/", 0, 0o755],
    ["kit/a.sh", 1, 0o755],
    ["kit/b/", 0, 0o755],
    ["kit/b/c/", 0, 0o755],
    ["kit/b/c/d", 512, 0o644],
    ["kit/b/c/e", 0, 0o644],
    ["kit/b/f", 1, 0o644],
    ["kit/g.sh.txt", 0, 0o644],
  ]);
});

test("999 parts are written; one more is refused, with what to do", async () => {
  const blocks = (count: number): { a: string } => ({ a: "x".repeat((count - 4) * 512) });
  expect(await cut(blocks(999), 512)).toBe(999);
  expect(readdirSync(into).at(-1)).toBe("kit.tar.999");
  rmSync(into, { recursive: true });
  mkdirSync(into);
  await expect(cut(blocks(1_000), 512)).rejects.toMatchObject({
    message: "the kit has more than 999 parts of 512 bytes",
    remedy: "Give a larger `partSize`.",
  });
});

test("a part that is there already is not overwritten", async () => {
  writeFileSync(join(into, "kit.tar.001"), "mine");
  await expect(cut({ a: "x" }, 1_000)).rejects.toThrow("EEXIST");
  expect(readFileSync(join(into, "kit.tar.001"), "utf8")).toBe("mine");
});
