import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("`npm test -- NAME` says that neither a suite nor a test file has this name, and runs nothing", () => {
  const main = join(import.meta.dirname, "../../main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "nosuch"], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^Neither a suite nor a test file is named nosuch\. Suites: unit, stacks, native, /);
});
