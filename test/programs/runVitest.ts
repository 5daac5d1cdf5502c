import { spawn } from "node:child_process";
import { join } from "node:path";

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");

/** Runs the tests of a configuration; the arguments of this command choose some. @returns vitest's exit code */
export async function runVitest(config: string, env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [VITEST, "run", "--config", config, ...process.argv.slice(2)], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
