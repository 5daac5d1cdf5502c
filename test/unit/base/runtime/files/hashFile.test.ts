import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hashFile } from "../../../../../provider/base/runtime/files/hashFile.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../../../systems.ts";

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
  await expect(hashFile(path, { limitBytes: 999 }, { signal })).rejects.toMatchObject({
    name: "DownloadError",
    message: `${path} has more than the limit of 999 B`,
    remedy: "If it is meant to be that large, raise limits.archiveBytes.",
  });
});

test("a file that has more than the system says is refused when it is read", async (context) => {
  const path = "/proc/self/status"; // its size is 0
  context.skip(!existsSync(path), "this system has no such file");
  expect((await hashFile(path, { limitBytes: 1e6 }, { signal })).size).toBeGreaterThan(100);
  await expect(hashFile(path, { limitBytes: 100 }, { signal })).rejects.toThrow(
    "more than the limit of 100 B",
  );
});

test("a path that is not a file is reported, with what to do; a pipe is not waited for", async (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [missing, below] = [join(folder, "missing"), join(file("plain", ""), "below")];
  for (const [path, name, phrase, what] of [
    [missing, "DestinationError", `the file ${missing} cannot be used: ENOENT`, "give another file"],
    [below, "DestinationError", `the file ${below} cannot be used: ENOTDIR`, "give another file"],
    [folder, "DownloadError", "is not a file", "Give the path of the archive itself."],
    [pipe, "DownloadError", "is not a file", "Give the path of the archive itself."],
  ] as const) {
    const message = expect.stringContaining(phrase) as string;
    const remedy = expect.stringContaining(what) as string;
    await expect(hashFile(path, limits, { signal })).rejects.toMatchObject({ name, message, remedy });
  }
});

test("a stopped run gets its reason at once, and opens no file after it", async () => {
  const stop = new AbortController();
  const reason = new Error("Ctrl-C");
  const hashing = hashFile(file("stopped", Buffer.alloc(3_000_000)), limits, { signal: stop.signal });
  stop.abort(reason);
  await expect(hashing).rejects.toBe(reason);
  await expect(hashFile(join(folder, "missing"), limits, { signal: stop.signal })).rejects.toBe(reason);
});

test("a file is closed after its digest is known, and soon when a run is stopped", async (context) => {
  context.skip(!existsSync("/proc/self/fd"), "this system does not list open files");
  const path = file("large-and-empty", "");
  truncateSync(path, 2 ** 40); // it would take an hour
  const isOpen = (name: string): boolean =>
    readdirSync("/proc/self/fd").some((each) => {
      try {
        return readlinkSync(join("/proc/self/fd", each)) === name;
      } catch {
        return false; // closed meanwhile
      }
    });
  const stop = new AbortController();
  const reason = new Error("Ctrl-C");
  const hashing = hashFile(path, { limitBytes: Infinity }, { signal: stop.signal });
  await expect.poll(() => isOpen(path), { interval: 1 }).toBe(true);
  stop.abort(reason);
  await expect(hashing).rejects.toBe(reason);
  await expect.poll(() => isOpen(path)).toBe(false);
  const small = file("closed", "text");
  await hashFile(small, limits, { signal });
  expect(isOpen(small)).toBe(false);
});
