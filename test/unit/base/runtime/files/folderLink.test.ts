import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { linkFolder, replaceLink } from "../../../../../provider/base/runtime/files/folderLink.ts";

let folder: string;
const at = (name: string): string => join(folder, name);
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "links-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test("a link says that its target is a folder, which Windows must know before the target exists", async () => {
  const calls: unknown[] = [];
  await linkFolder("one", at("link"), (...call) => {
    calls.push(call);
    return Promise.resolve();
  });
  expect(calls).toEqual([["one", at("link"), "dir"]]);
  await linkFolder("one", at("link"));
  expect(readlinkSync(at("link"))).toBe("one");
});

test("where links cannot be created, the error names other ways; other errors stay as they are", async () => {
  await expect(linkFolder("one", at("link"), failing("EPERM"))).rejects.toMatchObject({
    name: "DestinationError",
    message: expect.stringContaining("a symbolic link cannot be created: EPERM: no") as string,
    remedy: expect.stringMatching(/Developer Mode.*`layout: "archive"`/) as string,
  });
  await expect(linkFolder("one", at("link"), failing("ENOSPC"))).rejects.toMatchObject({ code: "ENOSPC" });
});

test("a link replaces another one by a rename", async () => {
  symlinkSync("one", at("current"));
  symlinkSync("two", at("next"));
  await replaceLink(at("next"), at("current"));
  expect(readlinkSync(at("current"))).toBe("two");
  expect(existsSync(at("next"))).toBe(false);
});

test("where a rename cannot replace a link to a folder, as on Windows, the other link is removed first", async () => {
  for (const name of ["one", "two"]) mkdirSync(at(name));
  symlinkSync("one", at("current"), "dir");
  symlinkSync("two", at("next"), "dir");
  const asWindows: typeof rename = (from, to) => (existsSync(to) ? failing("EPERM")() : rename(from, to));
  await replaceLink(at("next"), at("current"), asWindows);
  expect(readlinkSync(at("current"))).toBe("two");
  expect(existsSync(at("one"))).toBe(true);
});

test("if the link cannot be moved at all, the error of the move is thrown", async () => {
  symlinkSync("two", at("next"));
  await expect(replaceLink(at("next"), at("current"), failing("EPERM"))).rejects.toMatchObject({
    code: "EPERM",
  });
  await expect(replaceLink(at("next"), at("current"), failing("EIO"))).rejects.toMatchObject({ code: "EIO" });
});
