import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ArchiveFile, type OnRead } from "../../../../provider/publishing/archives/archiveFile.ts";

const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at) % 251));

async function opened(onRead?: OnRead): Promise<ArchiveFile> {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));
  const path = join(folder, "archive");
  writeFileSync(path, CONTENT);
  const file = await ArchiveFile.open(path, onRead);
  onTestFinished(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });
  return file;
}

test("a file is read once, in order, and its digest is that of all bytes", async () => {
  const counts: number[][] = [];
  const file = await opened((...count) => counts.push(count));
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks(new AbortController().signal)) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(CONTENT)).toBe(true);
  expect(chunks[0]?.equals(CONTENT.subarray(0, 262_144))).toBe(true); // no later chunk has overwritten it
  expect(counts).toEqual([
    [262_144, 300_000],
    [300_000, 300_000],
  ]);
  expect(file.digest()).toBe(createHash("sha256").update(CONTENT).digest("hex"));
});

test("bytes anywhere can be read before, which changes no digest, and fewer at the end", async () => {
  const file = await opened();
  expect(file.size).toBe(300_000);
  expect((await file.peek(1_000, 5)).equals(CONTENT.subarray(1_000, 1_005))).toBe(true);
  expect((await file.peek(299_998, 5)).equals(CONTENT.subarray(299_998))).toBe(true);
  expect(await file.peek(300_000, 5)).toHaveLength(0);
  expect(file.digest()).toBe(createHash("sha256").digest("hex"));
});

test("a stopped run reads no further chunk", async () => {
  const file = await opened();
  const stop = new AbortController();
  const reason = new Error("Ctrl-C");
  const chunks = file.chunks(stop.signal);
  await chunks.next();
  stop.abort(reason);
  await expect(chunks.next()).rejects.toBe(reason);
});
