// A child process of an operation: its lines as they come, and its end.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { startInReused } from "./reusedProcess.ts";

export interface ChildOptions {
  folder: string;
  env: NodeJS.ProcessEnv;
  onLine: (line: string, stream: "stdout" | "stderr") => void;
  /** In a process that has run others before: see `reusedProcess.ts`. */
  reuse?: boolean;
}

export interface Child {
  pid: number;
  exited: Promise<ChildExit>;
  isRunning(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** SIGINT, then SIGKILL if it doesn't end. */
  stop(): Promise<void>;
  /** The same for an idle one; it may then run something else. */
  finish(): Promise<void>;
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The real engine's pause between the two signals. */
export const stopGraceMs = 5000;

/** Children end with the process that started them; `reaper.ts` is for one that is killed itself. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Runs a file with the Node that runs this process. */
export function startNode(file: string, args: string[], options: ChildOptions): Child {
  if (options.reuse) return startInReused(file, args, options);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: options.folder,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const drained = Promise.all(
    (["stdout", "stderr"] as const).map(async (stream) => {
      for await (const line of createInterface({ input: child[stream] })) options.onLine(line, stream);
    }),
  );
  const ours = endWithUs(child);
  const stop = () =>
    ours
      .stop()
      .then(() => drained)
      .then(() => undefined);
  return { ...ours, stop, finish: stop };
}

/** Ends a child when this process ends. */
export function endWithUs(child: ChildProcess): Child {
  const exited = new Promise<ChildExit>((done, fail) => {
    child.on("error", fail);
    child.on("exit", (code, signal) => done({ code, signal }));
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!isRunning()) return;
    child.kill("SIGINT");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopGraceMs);
    await exited;
    clearTimeout(timer);
  };
  return { pid: child.pid ?? 0, exited, isRunning, kill: (signal) => child.kill(signal), stop, finish: stop };
}
