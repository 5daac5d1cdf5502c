import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { bytesBlob, fileBlob } from "../../../../provider/images/registry/blobs.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

function file(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "blobs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "blob"), content);
  return join(folder, "blob");
}

test("a part of a blob is read, from a file or from memory", async () => {
  for (const blob of [
    fileBlob(file("0123456789"), { digest: DIGEST, size: 10 }),
    bytesBlob({ digest: DIGEST, bytes: Buffer.from("0123456789") }),
  ]) {
    expect(blob).toMatchObject({ digest: DIGEST, size: 10 });
    expect(String(await buffer(blob.read(0, 10)))).toBe("0123456789");
    expect(String(await buffer(blob.read(3, 5)))).toBe("34");
  }
});

test("a missing file fails for its reader, and for no other", async () => {
  const blob = fileBlob(join(file(""), "none"), { digest: DIGEST, size: 1 });
  blob.read(0, 1); // of a request that was never sent
  await expect(buffer(blob.read(0, 1))).rejects.toThrow("ENOTDIR");
});
