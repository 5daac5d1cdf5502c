import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { diskFailure } from "../../../provider/disk/diskFailure.ts";
import { makeFolder } from "../../../provider/disk/makeFolder.ts";
import { copyInto, writeNewFile } from "../../../provider/disk/writeFile.ts";
import { DestinationError } from "../../../provider/words/errors.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});
const { signal } = new AbortController();

test("a new file is told of by its digest and size, and a link of its name is not followed", async () => {
  const path = join(folder, "file");
  const written = await writeNewFile(path, Readable.from([Buffer.from("do"), Buffer.from("cs")]), {
    flush: true,
  });
  const sha256 = createHash("sha256").update("docs").digest("hex");
  expect(written).toEqual({ size: 4, sha256 });
  expect(written).toEqual({ size: 4, ...(await copyInto(path, join(folder, "other"), signal)) });
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("docs");
  symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
  await expect(copyInto(path, join(folder, "link"), signal)).rejects.toThrow("EEXIST");
  expect(existsSync(join(folder, "elsewhere"))).toBe(false);
});

test("a folder is made with those above it; a file in its place is an error", async () => {
  await makeFolder(join(folder, "a/b/c"));
  await makeFolder(join(folder, "a/b/c"));
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
  writeFileSync(join(folder, "file"), "");
  await expect(makeFolder(join(folder, "file/b"))).rejects.toThrow("ENOTDIR");
});

const WRITE = "Give the user that runs `pulumi up` the right to write there, or give another folder.";
const PATH = "A part of that path is a file: give another folder.";

test.each([
  ["ENOSPC", "Make room on that disk, and run `pulumi up` again."],
  ["EDQUOT", "Make room within the quota of that disk, and run `pulumi up` again."],
  ["EROFS", "That disk can only be read: give another folder."],
  ["EACCES", WRITE],
  ["EPERM", WRITE],
  ["ENOTDIR", PATH],
  ["EEXIST", PATH],
  ["ENAMETOOLONG", "That path is too long: give another folder."],
  ["ENOENT", "Check that path, or give another folder."],
  ["EFBIG", "Raise the limit of the size of files (ulimit -f), or give another folder."],
  ["EISDIR", "A folder is in the place of a file: move it away."],
  ["ELOOP", "A symbolic link is in the place of a file, and is not followed: move it away."],
  ["EMFILE", "Too many files are open: raise the limit (ulimit -n)."],
  ["EIO", "Mend what the system names, and run `pulumi up` again."],
])("what helps against %s is: %s", (code, remedy) => {
  expect(diskFailure(Object.assign(new Error(code), { code }), "./kits", signal)).toMatchObject({ remedy });
});

test("what the system says of a file, and of a folder with another setting, is told as that", () => {
  const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  expect(diskFailure(denied, "./site.zip", signal, { kind: "file" })).toMatchObject({
    message: "the file ./site.zip cannot be used: EACCES: permission denied",
    remedy: "Give the user that runs `pulumi up` the right to write there, or give another file.",
  });
  expect(diskFailure(denied, "/p", signal, { elsewhere: "set PULUMI_HOME" })).toMatchObject({
    remedy: "Give the user that runs `pulumi up` the right to write there, or set PULUMI_HOME.",
  });
});

test("what the system says is told with what to do; what already is, stays; a stopped run throws its reason", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  const told = diskFailure(full, "./kits", signal);
  expect(told).toBeInstanceOf(DestinationError);
  expect(told).toMatchObject({
    message: "the folder ./kits cannot be used: ENOSPC: no space left on device",
    remedy: "Make room on that disk, and run `pulumi up` again.",
  });
  expect(diskFailure(told, "./kits", signal)).toBe(told);
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
