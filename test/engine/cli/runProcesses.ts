// Finds the processes of a run of the CLI by a mark in their environment: the CLI, the language host, the program, the provider.
import { setTimeout as delay } from "node:timers/promises";
import { findMarked, type MarkedProcess } from "../markedProcesses.ts";

export const markName = "TEST_ENGINE_MARK";

/** The pause between searches, in milliseconds. */
const pollIntervalMs = 10;

const findProcesses = (mark: string): MarkedProcess[] => findMarked(`${markName}=${mark}`);

const isCli = ({ name }: MarkedProcess) => name === "pulumi";

export function findProviderPids(mark: string): number[] {
  return findProcesses(mark)
    .filter(({ command }) => /cmd\/dynamic-provider|\bprovider\/plugin\.js\b/.test(command))
    .filter(({ name }) => name !== "sh") // the shell script around it
    .map(({ pid }) => pid);
}

/** `kill -9` of the whole run: the CLI first, which could otherwise still record that the others have ended. */
export async function killAll(mark: string): Promise<void> {
  for (;;) {
    const found = findProcesses(mark).sort((a, b) => Number(isCli(b)) - Number(isCli(a)));
    if (found.length === 0) return;
    for (const { pid } of found) signal(pid, "SIGKILL");
    await delay(pollIntervalMs);
  }
}

/**
 * Ctrl-C a second time; before that the first, unless it was sent already. The CLI must have handled that one: signals that come
 * too fast count as one.
 */
export async function interruptAgain(
  mark: string,
  first: AbortSignal | undefined,
  text: () => string,
): Promise<void> {
  const interrupt = () => {
    const cli = findProcesses(mark).find(isCli);
    if (cli) signal(cli.pid, "SIGINT");
    return cli !== undefined;
  };
  if (!first?.aborted && !interrupt()) return;
  while (!text().includes("press ^C again")) {
    if (!findProcesses(mark).some(isCli)) return;
    await delay(pollIntervalMs);
  }
  interrupt();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended
  }
}
