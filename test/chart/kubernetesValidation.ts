import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { VALIDATION } from "./neededPrograms.ts";

/**
 * One process for all tests of a file: its start takes as long as many validations. It ends with this process, which it holds up only
 * while an answer is waited for.
 */
let program: ChildProcessByStdio<Writable, Readable, null> | undefined;
const waiting: ((line: string) => void)[] = [];

/** What the API server of Kubernetes would refuse in these manifests when they are created, a sentence each. */
export async function problemsIn(manifests: string): Promise<string[]> {
  const child = (program ??= start());
  const answer = new Promise<string>((resolve) => waiting.push(resolve));
  holdUp(child.stdout, true);
  child.stdin.write(`${manifests}\0`);
  const line = await answer;
  if (waiting.length === 0) holdUp(child.stdout, false);
  return JSON.parse(line) as string[];
}

function start(): NonNullable<typeof program> {
  const child = spawn(VALIDATION, { stdio: ["pipe", "pipe", "inherit"] });
  child.unref();
  holdUp(child.stdin, false);
  createInterface(child.stdout).on("line", (line) => waiting.shift()?.(line));
  // without a program there is an answer, too
  const end = (why: string) => {
    for (const resolve of waiting.splice(0)) resolve(JSON.stringify([`the validation ${why}`]));
    program = undefined;
  };
  child.on("error", (error) => {
    end(error.message);
  });
  child.on("exit", (code) => {
    end(`ended with ${String(code)}`);
  });
  return child;
}

/** Whether this process waits for the pipe. */
function holdUp(pipe: Readable | Writable, isHeldUp: boolean): void {
  if (!(pipe instanceof Socket)) return;
  if (isHeldUp) pipe.ref();
  else pipe.unref();
}
