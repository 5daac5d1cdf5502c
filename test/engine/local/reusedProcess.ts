// A process that runs one program or provider after the other, for tests that do not test the process itself: most of their time
// is spent on loading @pulumi/pulumi. `reusedProcessMain.ts` says what is new in each run, and what is kept.
import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { compileCacheEnv } from "../compileCache.ts";
import { type Child, type ChildExit, type ChildOptions, endWithUs, stopGraceMs } from "./childProcess.ts";

export type Order = { file: string; args: string[]; folder: string; env: NodeJS.ProcessEnv } | "finish";

/** The process has finished an order, and this is what it would have exited with. */
export interface Done {
  code: number;
}

/** Ends the output of a run. */
export const endMark = "\0end of the run\0";

const idle: ReusedProcess[] = [];

/** Runs a file that uses @pulumi/pulumi, of that package or of a plugin, as `startNode` does. */
export function startInReused(file: string, args: string[], options: ChildOptions): Child {
  // the same file: a process that has run only programs has not loaded a provider's modules
  const index = idle.findIndex((each) => each.file === file);
  const [found] = index < 0 ? [] : idle.splice(index, 1);
  return (found ?? new ReusedProcess(file)).run(args, options);
}

class ReusedProcess {
  readonly file: string;
  readonly #process: ChildProcess;
  readonly #child: Child;
  #onLine: ChildOptions["onLine"] = () => undefined;
  #onEnd: () => void = () => undefined;

  constructor(file: string) {
    this.file = file;
    const packageFolder = dirname(createRequire(file).resolve("@pulumi/pulumi/package.json"));
    this.#process = fork(join(import.meta.dirname, "reusedProcessMain.ts"), [packageFolder], {
      env: { ...compileCacheEnv, ...process.env },
      execArgv: [],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = endWithUs(this.#process);
    for (const stream of ["stdout", "stderr"] as const) {
      const input = this.#process[stream];
      if (input) createInterface({ input }).on("line", (line) => this.#read(line, stream));
    }
    void this.#child.exited
      .catch(() => undefined)
      .then(() => idle.splice(0, idle.length, ...idle.filter((each) => each !== this)));
  }

  run(args: string[], { folder, env, onLine }: ChildOptions): Child {
    this.#keepUsAlive(true);
    this.#onLine = onLine;
    const drained = new Promise<void>((resolve) => {
      let streams = 2;
      this.#onEnd = () => --streams === 0 && resolve();
    });
    let isRunning = true;
    const done = new Promise<ChildExit>((resolve) => {
      this.#process.once("message", ({ code }: Done) => resolve({ code, signal: null }));
    });
    const exited = Promise.race([
      done.then(async (exit) => {
        await drained;
        this.#keepUsAlive(false);
        idle.push(this);
        return exit;
      }),
      this.#child.exited,
    ]).finally(() => (isRunning = false));
    this.#process.send({ file: this.file, args, folder, env } satisfies Order);
    // a signal is for this run: the process may run another one, or be idle, as soon as this one is over
    const kill = (signal: NodeJS.Signals) => {
      if (isRunning) this.#child.kill(signal);
    };
    const end = async (ask: () => void) => {
      if (!isRunning) return;
      ask();
      const timer = setTimeout(() => kill("SIGKILL"), stopGraceMs);
      await exited;
      clearTimeout(timer);
    };
    return {
      pid: this.#child.pid,
      exited,
      isRunning: () => isRunning,
      kill,
      stop: () => end(() => kill("SIGINT")),
      // a process that was killed a moment ago cannot get it, and its end is noticed anyway
      finish: () => end(() => this.#process.send("finish" satisfies Order, () => undefined)),
    };
  }

  #read(line: string, stream: "stdout" | "stderr"): void {
    const text = line.endsWith(endMark) ? line.slice(0, -endMark.length) : line;
    if (text !== "" || text === line) this.#onLine(text, stream);
    if (text !== line) this.#onEnd();
  }

  /** An idle process does not. */
  #keepUsAlive(yes: boolean): void {
    const method = yes ? "ref" : "unref";
    const streams = [this.#process.stdout, this.#process.stderr] as (Socket | null)[];
    for (const each of [this.#process, this.#process.channel, ...streams]) each?.[method]();
  }
}
