import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { homeFolder, makeHomeFolder } from "../../../../../provider/base/runtime/files/homeFolder.ts";
import { MODES, notOnWindows } from "../../../../systems.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "home-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test.each([
  ["PULUMI_HOME", "/srv/pulumi", "/srv/pulumi/docs-hosting/resume"],
  ["the user's own folder without it", undefined, join(homedir(), ".pulumi/docs-hosting/resume")],
  ["the user's own folder when it is empty", "", join(homedir(), ".pulumi/docs-hosting/resume")],
])("our folders are in %s", (_where, value, expected) => {
  expect(homeFolder((name) => (name === "PULUMI_HOME" ? value : "elsewhere"), "resume")).toBe(expected);
});

test("it is created with its parents, readable for its owner only; a second call keeps it", (context) => {
  notOnWindows(context, MODES);
  const path = join(folder, "a/b/c");
  makeHomeFolder(path);
  makeHomeFolder(path);
  for (const each of ["a", "a/b", "a/b/c"]) expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
});

test("below a file it is an error, and nothing is created", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeHomeFolder(join(folder, "file/a/b"))).toThrow("ENOTDIR");
  expect(existsSync(join(folder, "file/a"))).toBe(false);
});

test.runIf(process.platform === "linux")(
  "where nothing can be created it is an error, and does not hang",
  () => {
    expect(() => makeHomeFolder("/proc/docs-hosting/a/b")).toThrow("ENOENT");
  },
);
