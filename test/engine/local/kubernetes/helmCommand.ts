// The real `helm` command: where it is, one run of it, and what becomes of its runs when the operation is interrupted.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { endWithUs, stopGraceMs, type Child } from "../childProcess.ts";
import { ProviderError } from "../provider.ts";

/** HELM names it, else PATH is searched. @returns `undefined` when there is none */
export function findHelm(env: NodeJS.ProcessEnv): string | undefined {
  if (env["HELM"]) return isExecutable(env["HELM"]) ? env["HELM"] : undefined;
  return (env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "helm"))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What `helm` said when it failed, without the words that only the command puts in front. */
export class HelmError extends ProviderError {}

export interface HelmRun {
  /** Given to `--values -`: never on the command line, which every user of the machine can read. */
  values?: unknown;
  /** Ctrl-C reaches it: it then marks the release as failed, and says so. */
  cancellable?: boolean;
}

export class HelmCommand {
  #path: string;
  #env: NodeJS.ProcessEnv;
  #onStart: (child: Pick<Child, "pid" | "isRunning">) => void;
  #cancellable = new Set<Child>();
  #running = new Set<Child>();
  #isCanceled = false;

  constructor(
    path: string,
    env: NodeJS.ProcessEnv,
    onStart: (child: Pick<Child, "pid" | "isRunning">) => void,
  ) {
    this.#path = path;
    this.#env = env;
    this.#onStart = onStart;
  }

  /** @returns what it wrote @throws HelmError */
  async run(args: string[], { values, cancellable = false }: HelmRun = {}): Promise<string> {
    if (cancellable && this.#isCanceled) throw new HelmError("context canceled");
    const process = spawn(this.#path, [...args, ...(values === undefined ? [] : ["--values", "-"])], {
      cwd: tmpdir(), // a folder of the program's isn't taken for a chart's name
      env: this.#env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const child = endWithUs(process);
    this.#running.add(child);
    if (cancellable) {
      this.#cancellable.add(child);
      this.#onStart(child);
    }
    process.stdin.on("error", () => undefined); // it ended without reading
    process.stdin.end(values === undefined ? "" : JSON.stringify(values));
    let stdout = "";
    let stderr = "";
    process.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    process.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const closed = new Promise((done) => process.once("close", done));
    const { code, signal } = await child.exited;
    await closed;
    this.#running.delete(child);
    this.#cancellable.delete(child);
    if (code === 0) return stdout;
    if (code === null) throw new HelmError(`helm was ended by ${signal ?? "a signal"}`);
    throw new HelmError(readError(stderr));
  }

  cancel(): void {
    this.#isCanceled = true;
    for (const child of this.#cancellable) child.kill("SIGTERM");
  }

  async stop(): Promise<void> {
    this.cancel();
    const running = [...this.#running];
    const timer = setTimeout(() => {
      for (const child of running) child.kill("SIGKILL");
    }, stopGraceMs);
    await Promise.allSettled(running.map(({ exited }) => exited));
    clearTimeout(timer);
  }
}

/** Warnings may come first. */
function readError(stderr: string): string {
  const [, message = stderr] = /^Error: (?:[A-Z]+ FAILED: )?(.*)$/ms.exec(stderr) ?? [];
  return message.trim();
}
