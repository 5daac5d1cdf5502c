import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { FolderWriter } from "../../../../../provider/base/runtime/files/folderWriter.ts";
import { filesBelow } from "../../../../../provider/base/runtime/files/listing.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "writer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Pieces of a content, all in the same memory, as an archive's reader may give them. */
async function* reusing(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  const memory = Buffer.alloc(length);
  for (let from = 0; from < bytes.length; from += length) {
    const copied = bytes.copy(memory, 0, from, from + length);
    yield await Promise.resolve(memory.subarray(0, copied));
  }
  memory.fill("!");
}

test("small and large files arrive with their bytes and mode, in folders that are made once", async () => {
  const writer = new FolderWriter(join(folder, "site"));
  const sizes = new Map([0, 1, 5_000, 2 ** 18, 2 ** 18 + 1].map((size) => [`a/b${size % 2}/${size}`, size]));
  for (const [path, size] of sizes) {
    const bytes = Buffer.alloc(size, path);
    expect(await writer.write(path, size, reusing(bytes, 4_096))).toBe(sha256(bytes));
  }
  await writer.end();
  writeFileSync(join(folder, "own"), "", { mode: 0o644 });
  expect(await filesBelow(join(folder, "site"))).toEqual([...sizes.keys()].sort());
  for (const [path, size] of sizes) {
    expect(readFileSync(join(folder, "site", path)).equals(Buffer.alloc(size, path))).toBe(true);
    expect(statSync(join(folder, "site", path)).mode).toBe(statSync(join(folder, "own")).mode);
  }
});

test("without a file there is no folder", async () => {
  await new FolderWriter(join(folder, "site")).end();
  expect(readdirSync(folder)).toEqual([]);
});

test("a file that cannot be written is an error of the next file or of the end, and nothing more is written", async () => {
  const writer = new FolderWriter(folder);
  writeFileSync(join(folder, "there"), "mine");
  const write = (path: string): Promise<string> => writer.write(path, 1, Readable.from([Buffer.from("x")]));
  await write("there");
  await write("before");
  await writer.settle();
  await expect(write("after")).rejects.toThrow("EEXIST");
  await expect(writer.end()).rejects.toThrow("EEXIST");
  expect(readFileSync(join(folder, "there"), "utf8")).toBe("mine");
  expect([existsSync(join(folder, "before")), existsSync(join(folder, "after"))]).toEqual([true, false]);
});
