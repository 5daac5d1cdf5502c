import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { rangesOf, rangesOfFile } from "../../../../../provider/publishing/images/registry/blobs.ts";

function file(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "blobs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "blob"), content);
  return join(folder, "blob");
}

test("a part of a blob is read, from a file or from memory", async () => {
  for (const read of [rangesOfFile(file("0123456789")), rangesOf(Buffer.from("0123456789"))]) {
    expect(String(await buffer(read(0, 10)))).toBe("0123456789");
    expect(String(await buffer(read(3, 5)))).toBe("34");
  }
});

test("a missing file fails for its reader, and for no other", async () => {
  const read = rangesOfFile(join(file(""), "none"));
  read(0, 1); // of a request that was never sent
  await expect(buffer(read(0, 1))).rejects.toThrow("ENOTDIR");
});
