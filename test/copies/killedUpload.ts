import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "vitest";

/** The result of a run that copied something. */
export interface Run {
  /** Its last output, if it completed. */
  readonly done: string | undefined;
  /** How long it sent, until its end, in milliseconds. */
  readonly sentMs: number;
}

/**
 * Copies in a process of its own, which prints "begun" before it sends anything, and "done" at the end.
 *
 * @param script beside this file
 * @param folder for a scratch folder of its own: the last argument
 * @param killAt resolves when the process is to be killed; it gets a promise of the start of sending. Default: never
 */
export async function runUpload(
  context: TestContext,
  script: string,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
  killAt?: (begun: Promise<void>) => Promise<unknown>,
): Promise<Run> {
  const scratch = await mkdtemp(join(folder, "scratch-"));
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args, scratch], {
    env: { PATH: process.env["PATH"], NODE_NO_WARNINGS: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  let begunAtMs = Infinity;
  const begun = new Promise<void>((resolve) => {
    child.stdout.on("data", (text: Buffer) => {
      if (output === "") begunAtMs = performance.now();
      output += text.toString();
      resolve();
    });
  });
  void killAt?.(begun).then(() => child.kill("SIGKILL"));
  await new Promise((resolve) => child.once("close", resolve));
  const sentMs = performance.now() - begunAtMs;
  await rm(scratch, { recursive: true, force: true });
  return { done: /^done.*$/m.exec(output)?.[0], sentMs };
}
