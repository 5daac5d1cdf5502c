import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ok } from "../../../provider/doctor/finding.ts";
import { checkFolders, folderFinding } from "../../../provider/doctor/folders.ts";
import { bareHost } from "./host.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "folders-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test("a folder is tried, or the nearest one above it that exists, and nothing stays there", () => {
  expect(folderFinding("folder", folder)).toEqual(ok("folder", `${folder} can be written`));
  const below = join(folder, "a/b/c");
  expect(folderFinding("folder", below)).toEqual(ok("folder", `${below} can be made in ${folder}`));
  mkdirSync(join(folder, "a"));
  expect(folderFinding("folder", below)).toEqual(
    ok("folder", `${below} can be made in ${join(folder, "a")}`),
  );
  expect(readdirSync(folder, { recursive: true })).toEqual(["a"]);
});

test("a file in its place is a failure that names the folder", () => {
  writeFileSync(join(folder, "file"), "");
  const path = join(folder, "file/below");
  expect(folderFinding("folder", path, { elsewhere: "take another" })).toMatchObject({
    check: "folder",
    status: "failure",
    message: expect.stringContaining(path) as unknown,
    remedy: expect.stringContaining("take another") as unknown,
  });
});

test("the folders of each run are those that the environment names", () => {
  const home = join(folder, "home");
  const host = bareHost({
    temporaryFolder: folder,
    environment: (name) => (name === "PULUMI_HOME" ? home : undefined),
  });
  expect(checkFolders(host)).toEqual([
    ok("pulumi-home", `${join(home, "docs-hosting")} can be made in ${folder}`),
    ok("temporary-folder", `${folder} can be written`),
  ]);
  const [usual] = checkFolders(bareHost({ temporaryFolder: folder }));
  expect(usual?.message).toContain(join(homedir(), ".pulumi/docs-hosting"));
});
