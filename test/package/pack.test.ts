// `npm pack` as the publisher of the package runs it, with its scripts: in a clone without installed packages.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repositoryFiles } from "../documents.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

test("a fresh clone is packed whole, without a script that npm asks users to approve, and stays unchanged", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "fresh-clone-"));
  context.onTestFinished(() => rm(folder, { recursive: true }));
  const clone = join(folder, "clone");
  for (const file of repositoryFiles().filter((path) => !path.startsWith("test/"))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file));
  }
  const env = { ...process.env, npm_config_prefer_offline: "true" };
  const { stdout } = await run("npm", ["pack", "--pack-destination", folder], { cwd: clone, env });
  const tarball = join(folder, stdout.trim().split("\n").at(-1) ?? "");
  await run("tar", ["-xzf", tarball, "-C", folder]);
  const text = (path: string): string => readFileSync(join(folder, path), "utf8");

  const { scripts } = JSON.parse(text("package/package.json")) as { scripts: Record<string, string> };
  const asked = [
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
  ];
  expect(Object.keys(scripts).filter((name) => asked.includes(name))).toEqual([]);
  expect(text("package/dist/sdk/index.js")).toContain("StaticExport");
  expect(text("clone/package.json")).toBe(readFileSync(join(ROOT, "package.json"), "utf8"));
}, 600_000); // npm installs everything that the build needs
