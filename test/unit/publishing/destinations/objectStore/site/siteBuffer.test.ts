import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SiteBuffer } from "../../../../../../provider/publishing/destinations/objectStore/site/siteBuffer.ts";

/** Chunks of a reader that reuses its memory. */
async function* reused(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(memory, 0, at, at + size);
    yield await Promise.resolve(memory.subarray(0, length));
  }
}

test("files are read back as written, empty ones and large ones, with their digests", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "buffer-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const buffer = new SiteBuffer(folder);
  const contents = [
    Buffer.from("one"),
    Buffer.alloc(0),
    Buffer.alloc(3_000_000, "large"),
    Buffer.from("last"),
  ];
  for (const [index, content] of contents.entries()) {
    await buffer.file({ path: `${index}`, size: content.length }, reused(content, 65_536));
  }
  const files = await buffer.files();
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ["0", 3],
    ["1", 0],
    ["2", 3_000_000],
    ["3", 4],
  ]);
  const held = await readFile(buffer.path);
  for (const [index, { sha256, offset, size }] of files.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    expect(sha256).toBe(createHash("sha256").update(content).digest("hex"));
    expect(held.subarray(offset, offset + size).equals(content)).toBe(true);
  }
});

test("a write failure is reported with the path and the needed space", async () => {
  const buffer = new SiteBuffer("/nowhere/at/all");
  await buffer.file({ path: "a", size: 1 }, reused(Buffer.from("a"), 1));
  await expect(buffer.files()).rejects.toMatchObject({
    name: "DestinationError",
    message: "the site's files could not be stored at /nowhere/at/all/site (ENOENT)",
  });
});
