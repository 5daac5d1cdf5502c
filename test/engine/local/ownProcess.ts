// An operation in its own process, so that a test can kill the engine itself: `kill -9` of that process and of the program and
// the provider that it started.
import { fork } from "node:child_process";
import { join } from "node:path";
import { compileCacheEnv } from "../compileCache.ts";
import { onAbort } from "../onAbort.ts";
import type { OperationKind } from "../operationKind.ts";
import type { LogLine, OperationResult } from "../stack.ts";
import type { ConfigEntry } from "../stackConfig.ts";
import type { OperationSetup } from "./operation.ts";
import { isAlive } from "./stateLock.ts";

/** The message to the process at its start. */
export interface Assignment {
  kind: OperationKind;
  path: string;
  passphrase: string;
  config: [string, ConfigEntry][];
  setup: Pick<OperationSetup, "project" | "stack" | "location" | "env" | "plugins">;
  options: Omit<OperationSetup["options"], "signal" | "terminate" | "kill" | "onLog" | "onText">;
}

/** Its messages. */
export type Report =
  | { provider: number }
  | { log: LogLine }
  | { text: string }
  | { result: OperationResult }
  | { threw: string };

/** @returns the result, unless it was killed, and the events until then */
export async function runInOwnProcess(
  kind: OperationKind,
  path: string,
  passphrase: string,
  { config, options, onProviderStart, ...setup }: Omit<OperationSetup, "file">,
): Promise<{ result?: OperationResult; seen: Pick<OperationResult, "logs" | "text"> }> {
  const { signal, terminate, kill, onLog, onText, ...plainOptions } = options;
  if (signal || terminate) {
    throw new Error("not supported by the test engine: kill beside signal or terminate");
  }
  const seen: Pick<OperationResult, "logs" | "text"> = { logs: [], text: "" };
  let result: OperationResult | undefined;
  let threw: string | undefined;

  const engine = fork(join(import.meta.dirname, "ownProcessMain.ts"), {
    detached: true, // its own process group, program and provider included
    env: { ...compileCacheEnv, ...process.env },
    execArgv: [],
  });
  engine.on("message", (report: Report) => {
    if ("result" in report) result = report.result;
    else if ("threw" in report) threw = report.threw;
    else if ("provider" in report) {
      onProviderStart({ pid: report.provider, isRunning: () => isAlive(report.provider) });
    } else if ("log" in report) {
      seen.logs.push(report.log);
      onLog?.(report.log);
    } else {
      seen.text += report.text;
      onText?.(report.text);
    }
  });
  const assignment: Assignment = {
    kind,
    path,
    passphrase,
    config: [...config],
    setup,
    options: plainOptions,
  };
  engine.send(assignment);

  const forget = onAbort(kill, () => {
    if (engine.pid !== undefined && engine.exitCode === null) process.kill(-engine.pid, "SIGKILL");
  });
  await new Promise((done, fail) => engine.once("exit", done).once("error", fail));
  forget();

  if (threw !== undefined) throw new Error(threw);
  if (result) return { result, seen };
  if (kill?.aborted) return { seen };
  throw new Error(`the engine's process ended with ${engine.exitCode ?? engine.signalCode ?? "no code"}`);
}
