// A process that runs one module of @pulumi/pulumi after the other, for tests of which the process itself is no part:
// most of the time of a program or a provider goes into loading that package. `reusedProcessMain.ts` says what is new
// in each run, and what is not.
import { fork, type ChildProcess } from "node:child_process";
import { join, sep } from "node:path";
import { createInterface } from "node:readline";
import type { Socket } from "node:net";
import { compileCacheEnv } from "../compileCache.ts";
import { endWithUs, stopGraceMs, type Child, type ChildExit, type ChildOptions } from "./childProcess.ts";

export type Order = { file: string; args: string[]; folder: string; env: NodeJS.ProcessEnv } | "finish";

/** The process is done with an order, and this is what it would have exited with. */
export interface Done {
  code: number;
}

/** Ends the output of a run. */
export const endMark = "\0end of the run\0";

const idle: ReusedProcess[] = [];

/** Runs a file of `<package>/cmd/` of @pulumi/pulumi, as `startNode` does. */
export function startInReused(file: string, args: string[], options: ChildOptions): Child {
  // the same file: a process that has run only programs has yet to load what a provider loads
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
    const packageFolder = file.slice(0, file.lastIndexOf(join(sep, "cmd", sep)));
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
    // a signal is for this run: the process may be at another one, or wait for one, as soon as this is over
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
      // one that was killed a moment ago cannot be told, and its end is seen anyway
      finish: () => end(() => this.#process.send("finish" satisfies Order, () => undefined)),
    };
  }

  #read(line: string, stream: "stdout" | "stderr"): void {
    const said = line.endsWith(endMark) ? line.slice(0, -endMark.length) : line;
    if (said !== "" || said === line) this.#onLine(said, stream);
    if (said !== line) this.#onEnd();
  }

  /** One that waits for work does not. */
  #keepUsAlive(yes: boolean): void {
    const method = yes ? "ref" : "unref";
    const streams = [this.#process.stdout, this.#process.stderr] as (Socket | null)[];
    for (const each of [this.#process, this.#process.channel, ...streams]) each?.[method]();
  }
}
