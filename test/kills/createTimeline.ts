// The course of a create, in stages that begin with something seen from outside, and instants in it. A stage's width
// is how long it lasts about on an idle machine; the service takes its time over the two calls that could be missed.
import { seededRandom } from "../simulation/seededRandom.ts";

export type Stage = (typeof STAGES)[number]["name"];

/** How long the service thinks before it answers a start, and a bundle call, in milliseconds. */
export const ANSWER_DELAY_MS = 400;
/** How long a job takes, in milliseconds: looks are a second apart at first, so that the second sees it running as well. */
export const JOB_DURATION_MS = 1_200;
/** How long the program goes on after the create, in milliseconds: else the provider ends with it, before it can be killed. */
export const AFTERMATH_MS = 3_000;

const STAGES = [
  { name: "before the start", widthMs: 800 },
  { name: "between start and reply", widthMs: ANSWER_DELAY_MS },
  { name: "while polling", widthMs: 2_000 },
  { name: "in the bundle call", widthMs: ANSWER_DELAY_MS },
  { name: "after it", widthMs: 300 },
] as const;

/** When to kill: so long after a stage began. */
export interface Instant {
  /** Where in the whole create, in percent. */
  percent: number;
  stage: Stage;
  afterMs: number;
}

/** Random instants, one in each of `count` equal parts of the create, in random order. */
export function randomInstants(count: number, seed: number): Instant[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, part) => ({ order: random(), place: (part + random()) / count }))
    .sort((a, b) => a.order - b.order)
    .map(({ place }) => instantAt(place));
}

function instantAt(place: number): Instant {
  let afterMs = place * STAGES.reduce((sum, { widthMs }) => sum + widthMs, 0);
  for (const { name, widthMs } of STAGES) {
    if (afterMs < widthMs) return { percent: Math.floor(place * 100), stage: name, afterMs };
    afterMs -= widthMs;
  }
  throw new Error(`${place} is not a place in [0, 1)`);
}
