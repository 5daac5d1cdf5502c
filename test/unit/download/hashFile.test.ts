import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hashFile } from "../../../provider/download/hashFile.ts";
import { POSIX_PROGRAMS, notOnWindows } from "../../systems.ts";

const folder = mkdtempSync(join(tmpdir(), "hash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();
const limits = { limitBytes: 4_000_000 };

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test.each([0, 1, 1024 * 1024, 3_000_001])(
  "a file of %d bytes has its digest, also by a symbolic link",
  async (size) => {
    const content = Buffer.alloc(size, "text");
    const path = file(`of-${size}`, content);
    symlinkSync(path, `${path}-link`);
    const expected = { sha256: createHash("sha256").update(content).digest("hex"), size };
    expect(await hashFile(path, limits, { signal })).toEqual(expected);
    expect(await hashFile(`${path}-link`, limits, { signal })).toEqual(expected);
  },
);

test("a file that is too large is refused, and one at the limit is not", async () => {
  const path = file("large", Buffer.alloc(1_000));
  await hashFile(path, { limitBytes: 1_000 }, { signal });
  await expect(hashFile(path, { limitBytes: 999 }, { signal })).rejects.toThrow(
    "more than the limit of 999 B",
  );
});

test("a path that is not a file is reported, with what to do; a pipe is not waited for", async (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [missing, below] = [join(folder, "missing"), join(file("plain", ""), "below")];
  for (const [path, name, phrase] of [
    [missing, "DestinationError", `the file ${missing} cannot be used: ENOENT`],
    [below, "DestinationError", `the file ${below} cannot be used: ENOTDIR`],
    [folder, "DownloadError", "is not a file"],
    [pipe, "DownloadError", "is not a file"],
  ] as const) {
    const message = expect.stringContaining(phrase) as string;
    await expect(hashFile(path, limits, { signal })).rejects.toMatchObject({ name, message });
  }
});

test("a stopped run reads no further", async () => {
  const stop = new AbortController();
  const reason = new Error("Ctrl-C");
  const hashing = hashFile(file("stopped", Buffer.alloc(3_000_000)), limits, { signal: stop.signal });
  stop.abort(reason);
  await expect(hashing).rejects.toBe(reason);
});
