// The timeline of a create, in stages that begin with an event visible from outside, and instants in it. The width of a stage is
// its approximate duration on an idle machine; the service delays its replies to the two calls that tests could miss.
import { seededRandom } from "../simulation/seededRandom.ts";

export type Stage = (typeof STAGES)[number]["name"];

/** The service's delay of its replies to a start and a bundle call, in milliseconds. */
export const ANSWER_DELAY_MS = 400;
/** The duration of a job, in milliseconds: polls are a second apart at first, so that the second also sees it running. */
export const JOB_DURATION_MS = 1_200;
/** How long the program continues after the create, in milliseconds: else the provider ends with it, before it can be killed. */
export const AFTERMATH_MS = 3_000;

const STAGES = [
  { name: "before the start", widthMs: 800 },
  { name: "between start and reply", widthMs: ANSWER_DELAY_MS },
  { name: "while polling", widthMs: 2_000 },
  { name: "in the bundle call", widthMs: ANSWER_DELAY_MS },
  { name: "after it", widthMs: 300 },
] as const;

/** The time of a kill: this long after a stage began. */
export interface Instant {
  /** The position in the whole create, in percent. */
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
