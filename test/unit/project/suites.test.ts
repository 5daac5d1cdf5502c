import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join, matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { REPLACED_MODULES } from "../../vitest.config.ts";

test("`npm test -- NAME` says that neither a suite nor a test file has this name, and runs nothing", () => {
  const main = join(import.meta.dirname, "../../main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "nosuch"], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^Neither a suite nor a test file is named nosuch\. Suites: unit, stacks, native, /);
});

test("exactly the files that replace modules by others have processes of their own", async () => {
  const root = join(import.meta.dirname, "../..");
  const files = await Array.fromAsync(glob("**/*.test.ts", { cwd: root }));
  const replacing = files.filter((file) =>
    /\bvi\.(?:do)?mock\(/i.test(readFileSync(join(root, file), "utf8")),
  );
  expect(replacing.sort()).toEqual(files.filter((file) => matchesGlob(file, REPLACED_MODULES)).sort());
  expect(replacing).not.toEqual([]);
});
