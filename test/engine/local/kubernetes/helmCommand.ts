// The real `helm` command: its path, one run of it, and the end of its runs when the operation is interrupted.
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { findCommand } from "../../../programs/commands.ts";
import { type Child, endWithUs } from "../childProcess.ts";
import { ProviderError } from "../provider.ts";

/** Its path from HELM, else from PATH. @returns `undefined` when there is none */
export const findHelm = (env: NodeJS.ProcessEnv): string | undefined =>
  env["HELM"] ?? findCommand("helm", env["PATH"]);

/** The message of a failed `helm`, without the command's own prefix. */
export class HelmError extends ProviderError {}

export class HelmCommand {
  #path: string;
  #env: NodeJS.ProcessEnv;
  /** Whether it creates something: Ctrl-C does not cut off other runs. */
  #running = new Map<Child, boolean>();
  #isCanceled = false;

  constructor(path: string, env: NodeJS.ProcessEnv) {
    this.#path = path;
    this.#env = env;
  }

  /**
   * @param values for `--values -`: never on the command line, which every user of the machine can read
   * @returns its output
   * @throws HelmError
   */
  async run(args: string[], values?: unknown): Promise<string> {
    const makes = values !== undefined;
    if (makes && this.#isCanceled) throw new HelmError("context canceled");
    const process = spawn(this.#path, [...args, ...(makes ? ["--values", "-"] : [])], {
      cwd: tmpdir(), // a folder of the program isn't taken for a chart's name
      env: this.#env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const child = endWithUs(process);
    this.#running.set(child, makes);
    process.stdin.on("error", () => undefined); // it ended without reading
    process.stdin.end(makes ? JSON.stringify(values) : "");
    let stdout = "";
    let stderr = "";
    process.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    process.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const closed = new Promise((done) => process.once("close", done));
    const { code, signal } = await child.exited;
    await closed;
    this.#running.delete(child);
    if (code === 0) return stdout;
    if (code === null) throw new HelmError(`helm was ended by ${signal ?? "a signal"}`);
    throw new HelmError(readError(stderr));
  }

  /** An install or upgrade then marks its release as failed, and reports it. */
  cancel(): Promise<void> {
    this.#isCanceled = true;
    for (const [child, makes] of this.#running) if (makes) child.kill("SIGTERM");
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#isCanceled = true;
    await Promise.allSettled([...this.#running.keys()].map((child) => child.stop()));
  }
}

/** Warnings may come first. */
function readError(stderr: string): string {
  const [, message = stderr] = /^Error: (?:[A-Z]+ FAILED: )?(.*)$/ms.exec(stderr) ?? [];
  return message.trim();
}
