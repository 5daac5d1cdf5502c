import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { VALIDATION } from "./neededPrograms.ts";

/** One process for all tests of a file: its start takes as long as many validations. */
let program: { child: ChildProcessByStdio<Writable, Readable, null>; lines: Interface } | undefined;
const waiting: ((line: string) => void)[] = [];

/** What the API server of Kubernetes would refuse in these manifests when they are created, a sentence each. */
export async function problemsIn(manifests: string): Promise<string[]> {
  const { child } = (program ??= start());
  const answer = new Promise<string>((resolve) => waiting.push(resolve));
  child.stdin.write(`${manifests}\0`);
  return JSON.parse(await answer) as string[];
}

function start(): NonNullable<typeof program> {
  const child = spawn(VALIDATION, { stdio: ["pipe", "pipe", "inherit"] });
  child.unref();
  const lines = createInterface(child.stdout).on("line", (line) => waiting.shift()?.(line));
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
  return { child, lines };
}
