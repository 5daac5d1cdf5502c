import { seededRandom } from "../simulation/seededRandom.ts";
import { VirtualClock } from "../simulation/virtualClock.ts";
import { JOB_SHAPES } from "./jobShapes.ts";
import { printTable, verdict } from "./resultTable.ts";
import { mean, percentile } from "./statistics.ts";
import { WAYS_TO_WAIT, type WayToWait } from "./waysToWait.ts";

const JOBS = 1_000;
const SEED = 20_260_101;
const ROUND_TRIP_MS = 150;
/** Part of a job's time that it may wait in a queue, at 0 %. */
const QUEUE = 0.15;
/** Lengths of jobs, in seconds; within one, each doubling is as likely as the other. */
const LENGTHS: Readonly<Record<string, readonly [from: number, to: number]>> = {
  "10–60 s": [10, 60],
  "60–300 s": [60, 300],
  "300–600 s": [300, 600],
  "600–3600 s": [600, 3_600],
};

/** For jobs of 60 to 600 s whose progress is honest, against the loop of 10 s; the worst case for every job up to 600 s. */
const LIMITS = {
  honest: ["linear", "noisy"],
  lag: 0.25,
  polls: 1.45,
  p95Ms: 1_500,
  p95Part: 0.008,
  worstMs: 10_000,
};

interface Job {
  durationMs: number;
  progressAt: (ms: number) => number | undefined;
  /** Seed of the waiter's random numbers. */
  seed: number;
}

interface Outcome {
  durationMs: number;
  polls: number;
  /** From the end of the job until the arrival of the reply that reports it. */
  lagMs: number;
}

/**
 * How long after its end a job is noticed, and after how many polls: by way of waiting, shape of progress and length of the job.
 */
export async function lag(): Promise<boolean> {
  const missed: string[] = [];
  const behind: Record<string, string[]> = { "mean lag": [], "worst lag": [], polls: [] };
  const rows: string[][] = [];
  for (const shape of Object.keys(JOB_SHAPES)) {
    for (const length of Object.keys(LENGTHS)) {
      const jobs = jobsOf(shape, length);
      const outcomes: Outcome[][] = [];
      for (const wait of Object.values<WayToWait>(WAYS_TO_WAIT)) outcomes.push(await allOutcomes(jobs, wait));
      const [ours = [], loop = []] = outcomes;
      const cell = `${shape}, ${length}`;
      rows.push([cell, ...outcomes.map(figures)]);
      missed.push(...missedLimits(shape, length, ours, loop).map((miss) => `${cell}: ${miss}`));
      if (meanLag(ours) > meanLag(loop)) behind["mean lag"]?.push(cell);
      if (worstLag(ours) > worstLag(loop)) behind["worst lag"]?.push(cell);
      if (meanPolls(ours) > meanPolls(loop)) behind["polls"]?.push(`${cell} (${times(ours, loop)})`);
    }
  }
  printTable("lag", ["polls / mean lag / 95 % / worst, in s", ...Object.keys(WAYS_TO_WAIT)], rows);
  console.log(`${JOBS} jobs a line on a virtual clock, round trip ${ROUND_TRIP_MS} ms.\n`);
  for (const [figure, cells] of Object.entries(behind)) {
    console.log(
      `Behind the loop of 10 s in ${figure}: ${cells.length === 0 ? "nowhere" : cells.join("; ")}.`,
    );
  }
  return verdict(
    missed,
    "honest progress, 60 to 600 s: mean lag a quarter of the 10 s loop's, 95 % within max(1.5 s, 0.8 %), 1.45 times its polls; " +
      "any progress, to 600 s: 10 s and a round trip",
  );
}

function jobsOf(shape: string, length: string): Job[] {
  const [from, to] = LENGTHS[length] ?? [NaN, NaN];
  const random = seededRandom(SEED);
  return Array.from({ length: JOBS }, (_, index) => {
    const durationMs = 1_000 * from * (to / from) ** random();
    const queuedMs = QUEUE * random() * durationMs;
    const progress = JOB_SHAPES[shape]?.(random);
    const share = (ms: number): number => Math.max(0, (ms - queuedMs) / (durationMs - queuedMs));
    return { durationMs, progressAt: (ms) => progress?.(share(ms)), seed: SEED + index };
  });
}

async function allOutcomes(jobs: readonly Job[], wait: WayToWait): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const job of jobs) outcomes.push(await outcome(job, wait));
  return outcomes;
}

async function outcome({ durationMs, progressAt, seed }: Job, wait: WayToWait): Promise<Outcome> {
  const clock = new VirtualClock();
  clock.random = seededRandom(seed);
  let polls = 0;
  const poll = (): Promise<{ done: boolean; progress: number | undefined }> => {
    polls++;
    const atMs = clock.monotonic() + ROUND_TRIP_MS / 2; // the service answers at this time
    const done = atMs >= durationMs;
    const seen = { done, progress: done ? 100 : progressAt(atMs) };
    return new Promise((resolve) => clock.after(ROUND_TRIP_MS, () => resolve(seen)));
  };
  await clock.run(wait(clock, poll));
  return { durationMs, polls, lagMs: clock.monotonic() - durationMs };
}

const lags = (outcomes: readonly Outcome[]): number[] => outcomes.map(({ lagMs }) => lagMs);
const meanLag = (outcomes: readonly Outcome[]): number => mean(lags(outcomes));
const worstLag = (outcomes: readonly Outcome[]): number => Math.max(...lags(outcomes));
const meanPolls = (outcomes: readonly Outcome[]): number => mean(outcomes.map(({ polls }) => polls));
const times = (ours: readonly Outcome[], loop: readonly Outcome[]): string =>
  `${(meanPolls(ours) / meanPolls(loop)).toFixed(2)} times`;

function figures(outcomes: readonly Outcome[]): string {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const all = lags(outcomes);
  return [
    meanPolls(outcomes).toFixed(0),
    (mean(all) / 1_000).toFixed(2),
    seconds(percentile(all, 0.95)),
    seconds(worstLag(outcomes)),
  ].join(" / ");
}

function missedLimits(
  shape: string,
  length: string,
  ours: readonly Outcome[],
  loop: readonly Outcome[],
): string[] {
  const [from = 0, to = 0] = LENGTHS[length] ?? [];
  const missed: string[] = [];
  if (LIMITS.honest.includes(shape) && from >= 60 && to <= 600) {
    const part = meanLag(ours) / meanLag(loop);
    if (part > LIMITS.lag) missed.push(`${part.toFixed(2)} of the loop's mean lag`);
    const allowed = ({ durationMs }: Outcome): number => Math.max(LIMITS.p95Ms, LIMITS.p95Part * durationMs);
    const over = percentile(
      ours.map((one) => one.lagMs / allowed(one)),
      0.95,
    );
    if (over > 1) missed.push(`95 % within ${over.toFixed(2)} times what is allowed`);
    if (meanPolls(ours) > LIMITS.polls * meanPolls(loop)) {
      missed.push(`${times(ours, loop)} the loop's polls`);
    }
  }
  const worstMs = worstLag(ours);
  if (to <= 600 && worstMs > LIMITS.worstMs + ROUND_TRIP_MS) {
    missed.push(`worst lag ${worstMs.toFixed(0)} ms`);
  }
  return missed;
}
