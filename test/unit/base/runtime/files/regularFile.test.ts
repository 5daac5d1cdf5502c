import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { readRecord } from "../../../../../provider/base/runtime/files/regularFile.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../../../systems.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "record-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "record"), "{}");
});

const read = (name: string, limit?: number): Promise<string | undefined> =>
  readRecord(join(folder, name), limit).then((bytes) => bytes?.toString());

test("a record is read; there may be none, or a folder, or one that is too long", async () => {
  mkdirSync(join(folder, "folder"));
  expect([await read("record"), await read("none"), await read("folder")]).toEqual([
    "{}",
    undefined,
    undefined,
  ]);
  expect([await read("record", 2), await read("record", 1)]).toEqual(["{}", undefined]);
});

test("a link is not followed, and a pipe is not waited for", async (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  symlinkSync("record", join(folder, "link"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  expect([await read("link"), await read("pipe")]).toEqual([undefined, undefined]);
});
