// A run of stack tests is ended at random instants, by kill -9 of all of it or of one of its workers, or by Ctrl-C: none of its
// processes continues. SEED=… repeats a run.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { findMarked, type MarkedProcess } from "../engine/markedProcesses.ts";
import { MARK } from "../engine/reaper.ts";
import { seededRandom } from "../simulation/seededRandom.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
const ARGS = ["run", "--config", "test/vitest.config.ts", "--project", "stack", "lifeCycle", "interruptions"];
/** The latest end of a run, in milliseconds after its first provider was seen. */
const LATEST_MS = 6_000;
/** How long remaining processes may take to end, in milliseconds. */
const PATIENCE_MS = 10_000;

const WAYS = ["kill -9 of the run", "kill -9 of a worker", "Ctrl-C"] as const;

const random = seededRandom(SEED);
const ends = Array.from({ length: 10 }, (_, index) => ({
  number: index + 1,
  way: WAYS[index % WAYS.length] ?? WAYS[0],
  afterMs: Math.floor(random() * LATEST_MS),
}));

test.for(ends)("end $number of 10: after $way, $afterMs ms into it, no process is left", async (end) => {
  const mark = `KILLED_RUN=${randomUUID()}`;
  const temporary = mkdtempSync(join(tmpdir(), "killed-run-"));
  const run = startRun(mark, temporary, [VITEST, ...ARGS]);
  try {
    await vi.waitUntil(() => findMarked(mark).some(isProvider), { timeout: 60_000 });
    await delay(end.afterMs);
    await expectNoneLeft(endRun(run, mark, end.way));
  } finally {
    cleanUp(mark, temporary);
  }
});

test("a program that is busy without end, and ignores signals, ends with a killed run", async () => {
  const mark = `KILLED_RUN=${randomUUID()}`;
  const temporary = mkdtempSync(join(tmpdir(), "killed-run-"));
  const run = startRun(mark, temporary, [join(import.meta.dirname, "busyRun.ts")]);
  try {
    await new Promise((isBusy) => run.stdout?.once("data", isBusy));
    await expectNoneLeft(endRun(run, mark, "kill -9 of the run"));
  } finally {
    cleanUp(mark, temporary);
  }
});

async function expectNoneLeft(left: () => MarkedProcess[]): Promise<void> {
  await vi
    .waitUntil(() => left().length === 0, { timeout: PATIENCE_MS, interval: 100 })
    .catch(() => undefined);
  expect(left()).toEqual([]);
}

/** A killed process cleans nothing up. */
function cleanUp(mark: string, temporary: string): void {
  for (const { pid } of findMarked(mark)) process.kill(pid, "SIGKILL");
  rmSync(temporary, { recursive: true, force: true });
}

afterAll(() => console.log(`SEED=${SEED}`));

/** A provider, or a program: in its own process, or in a reused one. */
const isProvider = ({ command }: { command: string }): boolean =>
  /cmd\/dynamic-provider|reusedProcessMain/.test(command);

/** In its own process group, as a terminal would start it. */
function startRun(mark: string, temporary: string, args: string[]): ChildProcess {
  const [name = "", value] = mark.split("=");
  const env = Object.entries(process.env).filter(([key]) => !key.startsWith("VITEST"));
  const run = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, "../.."),
    detached: true,
    env: { ...Object.fromEntries(env), [name]: value, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "ignore"],
  });
  run.stdout.resume(); // or it would wait for a reader
  return run;
}

/** @returns a function that finds the processes that should have ended with it */
function endRun({ pid = 0 }: ChildProcess, mark: string, way: (typeof WAYS)[number]) {
  if (way === "kill -9 of a worker") {
    const worker = findMarked(mark).find(({ pid: it }) => findMarked(`${MARK}=${it}-`).some(isProvider));
    if (!worker) throw new Error("no worker has a provider");
    process.kill(worker.pid, "SIGKILL");
    return () => findMarked(`${MARK}=${worker.pid}-`);
  }
  if (way === "Ctrl-C") process.kill(-pid, "SIGINT");
  else process.kill(pid, "SIGKILL");
  return () => findMarked(mark);
}
