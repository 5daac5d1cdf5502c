import { expect, test } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";
import { History } from "./history.ts";

const histories = Number(process.env["HISTORIES"] ?? 1);
/** Always the same by default: a random failure says nothing about the change that the check runs for. */
const firstSeed = Number(process.env["SEED"] ?? 1);
const STEPS = 12;
/** Limit of each step, with its roll-out. */
const STEP_LIMIT_MS = 180_000;

const seeds = Array.from({ length: histories }, (_, index) => firstSeed + index);

test.concurrent.for(seeds)(
  "in any history, no request fails and no content is served as another: history %i",
  { timeout: STEPS * STEP_LIMIT_MS },
  async (seed, context) => {
    const history = await History.start(context, seededRandom(seed));
    try {
      for (let step = 0; step < STEPS; step += 1) await history.step();
      await history.end();
    } finally {
      console.log([`history ${seed}:`, ...history.story].join("\n"));
    }
    expect(history.story.length).toBeGreaterThan(STEPS);
  },
);
