import { spawn } from "node:child_process";
import { join } from "node:path";

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");

/**
 * Runs the tests of a configuration.
 *
 * @param args the tests to run, and options of vitest. Default: the arguments of this command
 * @returns vitest's exit code
 */
export async function runVitest(
  config: string,
  env: Record<string, string>,
  args: readonly string[] = process.argv.slice(2),
): Promise<number> {
  const child = spawn(process.execPath, [VITEST, "run", "--config", config, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
