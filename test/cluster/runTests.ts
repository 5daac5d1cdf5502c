import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Runs the tests of this folder; arguments of this command choose some. */
export async function runTests(env: Record<string, string>): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      ...["run", "--config", join(import.meta.dirname, "vitest.config.ts")],
      ...process.argv.slice(2),
    ],
    { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } },
  );
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
