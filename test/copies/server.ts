import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that runs during the tests. */
export interface Server {
  /** Its line of output when it was ready. */
  readonly ready: RegExpExecArray;
  /** All its lines of output so far. */
  readonly lines: readonly string[];
  /** Ends it at once. */
  stop(): Promise<void>;
}

/**
 * Starts a server, and waits until it reports that it is ready.
 *
 * @param ready a part of that line, on either of its outputs
 * @throws with its output, when it ends before
 */
export async function startServer(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<Server> {
  const child = spawn(command, [...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...env },
  });
  const lines: string[] = [];
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const readyLine = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`${command} ended:\n${lines.join("\n")}`)));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        lines.push(line);
        const match = ready.exec(line);
        if (match) resolve(match);
      });
    }
  });
  const stop = (): Promise<void> => {
    child.kill("SIGKILL");
    return ended;
  };
  return { ready: readyLine, lines, stop };
}
