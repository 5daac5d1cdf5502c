import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { diskFailure, usingFolder } from "../../../../../provider/base/runtime/files/diskFailure.ts";
import { digestFile } from "../../../../../provider/base/runtime/files/listing.ts";
import { makeFolder } from "../../../../../provider/base/runtime/files/makeFolder.ts";
import { copyInto, writeNewFile } from "../../../../../provider/base/runtime/files/writeFile.ts";
import { DestinationError } from "../../../../../provider/base/runtime/messages/errors.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});
const { signal } = new AbortController();

test("a new file has its digest and size, and a link of its name is not followed", async () => {
  const path = join(folder, "file");
  const written = await writeNewFile(path, Readable.from([Buffer.from("do"), Buffer.from("cs")]), {
    flush: true,
  });
  const sha256 = createHash("sha256").update("docs").digest("hex");
  expect(written).toEqual({ size: 4, sha256 });
  expect(await copyInto(path, join(folder, "other"), signal)).toEqual(written);
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("docs");
  symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
  await expect(copyInto(path, join(folder, "link"), signal)).rejects.toThrow("EEXIST");
  expect(existsSync(join(folder, "elsewhere"))).toBe(false);
});

test("files that must survive a power cut are flushed to the disk, and no others", async () => {
  const path = join(folder, "file");
  const handle = await open(path, "w");
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "sync");
  onTestFinished(() => sync.mockRestore());
  await handle.close();
  const syncs = async (run: () => Promise<unknown>): Promise<number> => {
    sync.mockClear();
    await run();
    return sync.mock.calls.length;
  };
  const none = Readable.from([]);
  expect(await syncs(() => copyInto(path, join(folder, "copy"), signal))).toBe(1);
  expect(await syncs(() => writeNewFile(join(folder, "new"), none, { flush: false }))).toBe(0);
  expect(await syncs(() => digestFile(path, signal, { flush: true }))).toBe(1);
  expect(await syncs(() => digestFile(path, signal))).toBe(0);
});

test("a copy of a file ends with the run, whenever that is stopped", async () => {
  writeFileSync(join(folder, "file"), "docs");
  const before = AbortSignal.abort(new Error("stopped"));
  await expect(copyInto(join(folder, "file"), join(folder, "copy"), before)).rejects.toThrow("abort");
  expect(readFileSync(join(folder, "copy"), "utf8")).toBe("");
  const stop = new AbortController();
  const copied = copyInto(join(folder, "file"), join(folder, "other"), stop.signal);
  stop.abort();
  await expect(copied).rejects.toThrow("abort");
});

test("a copy of a missing file, or to an existing one, fails and leaves nothing that fails later", async () => {
  await expect(copyInto(join(folder, "none"), join(folder, "copy"), signal)).rejects.toThrow("ENOENT");
  writeFileSync(join(folder, "file"), "docs");
  const stop = new AbortController();
  const copied = copyInto(join(folder, "file"), join(folder, "copy"), stop.signal);
  await expect(copied).rejects.toThrow("EEXIST");
  stop.abort(); // an unhandled error event would end the process
  await new Promise((resolve) => setImmediate(resolve));
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "no file is left open, whether it is read, written or neither",
  async () => {
    const path = join(folder, "file");
    await writeNewFile(path, Readable.from([Buffer.from("docs")]), { flush: false });
    await digestFile(path, signal);
    await expect(digestFile(path, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    const isOpen = (name: string): boolean => {
      try {
        return readlinkSync(join("/proc/self/fd", name)) === path;
      } catch {
        return false; // closed meanwhile
      }
    };
    expect(readdirSync("/proc/self/fd").filter(isOpen)).toEqual([]);
  },
);

test("an error of work in a folder has the system's message, and the purpose of the folder", async () => {
  expect(await usingFolder("./copies", signal, () => Promise.resolve(7))).toBe(7);
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  await expect(usingFolder("./copies", signal, () => Promise.reject(full))).rejects.toThrow(
    "the folder ./copies cannot be used: ENOSPC",
  );
});

test("a folder is created with its parents; a file in its place is an error", async () => {
  await makeFolder(join(folder, "a/b/c"));
  await makeFolder(join(folder, "a/b/c"));
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
  writeFileSync(join(folder, "file"), "");
  await expect(makeFolder(join(folder, "file/b"))).rejects.toThrow("ENOTDIR");
});

const WRITE = "Give the user that runs `pulumi up` the right to write there, or give another folder.";
const PATH = "A part of that path is a file: give another folder.";

test.each([
  ["ENOSPC", "Free space on that disk, and run `pulumi up` again."],
  ["EDQUOT", "Free space within the quota of that disk, and run `pulumi up` again."],
  ["EROFS", "That disk is read-only: give another folder."],
  ["EACCES", WRITE],
  ["EPERM", WRITE],
  ["ENOTDIR", PATH],
  ["EEXIST", PATH],
  ["ENAMETOOLONG", "That path is too long: give another folder."],
  ["ENOENT", "Check that path, or give another folder."],
  ["EFBIG", "Raise the file size limit (ulimit -f), or give another folder."],
  ["EISDIR", "A folder is where a file must be: move it away."],
  ["ELOOP", "A symbolic link is where a file must be, and is not followed: move it away."],
  ["EMFILE", "Too many files are open: raise the limit (ulimit -n)."],
  ["EIO", "Fix what the system names, and run `pulumi up` again."],
])("the remedy for %s is: %s", (code, remedy) => {
  expect(diskFailure(Object.assign(new Error(code), { code }), "./kits", signal)).toMatchObject({ remedy });
});

test("the system's error of a file, and of a folder with another setting, names it", () => {
  const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  expect(diskFailure(denied, "./site.zip", signal, { kind: "file" })).toMatchObject({
    message: "the file ./site.zip cannot be used: EACCES: permission denied",
    remedy: "Give the user that runs `pulumi up` the right to write there, or give another file.",
  });
  expect(diskFailure(denied, "/p", signal, { elsewhere: "set PULUMI_HOME" })).toMatchObject({
    remedy: "Give the user that runs `pulumi up` the right to write there, or set PULUMI_HOME.",
  });
});

test("the system's error is reported with what to do; an explained error is unchanged; a stopped run throws its reason", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  const explained = diskFailure(full, "./kits", signal);
  expect(explained).toBeInstanceOf(DestinationError);
  expect(explained).toMatchObject({
    message: "the folder ./kits cannot be used: ENOSPC: no space left on device",
    remedy: "Free space on that disk, and run `pulumi up` again.",
  });
  expect(diskFailure(explained, "./kits", signal)).toBe(explained);
  const foreign = Object.assign(new Error("no"), { code: "ERR_INVALID_ARG_TYPE" });
  expect(diskFailure(foreign, "./kits", signal)).toBe(foreign);
  const mistake = new TypeError("a mistake of the provider's own");
  expect(diskFailure(mistake, "./kits", signal)).toBe(mistake);
  const prefixed = Object.assign(new Error("no"), { code: "XEIO" });
  expect(diskFailure(prefixed, "./kits", signal)).toBe(prefixed);
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  expect(diskFailure(full, "./kits", stop.signal)).toBe(stop.signal.reason);
});
