import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "./invariants.ts";
import { history } from "./steps.ts";
import { World } from "./world.ts";

const numRuns = Number(process.env["HISTORIES"] ?? 600);
/** Always the same by default: a random failure says nothing about the change that the check runs for. */
const seed = Number(process.env["SEED"] ?? 1);

/** How often each operation had each result: a history without events proves nothing. */
const seen = new Map<string, number>();

test(
  "no job is started twice or lost, and every success is complete, under all faults",
  async () => {
    console.log(`${numRuns} histories from seed ${seed}`);
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = new World();
        for (const step of steps) await step.act(world);
        await endWell(world);
        for (const line of world.outcomes) seen.set(line, (seen.get(line) ?? 0) + 1);
      }),
      { numRuns, seed, ...(process.env["REPLAY"] !== undefined && { path: process.env["REPLAY"] }) },
    );
    const counts = [...seen].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`);
    console.log(`${numRuns} histories from seed ${seed} hold: ${counts.join(", ")}`);
    expect(counts.length).toBeGreaterThan(20);
  },
  numRuns * 60 + 60_000,
);

/**
 * After all faults, at most two more runs are needed: the first may have to read that a job failed. After a reply that says nothing of
 * the job that it started, the user decides.
 */
async function endWell(world: World): Promise<void> {
  const { service } = world;
  world.story.push("- all is well again, and up");
  Object.assign(service, { outcome: "completed", durationMs: 30_000 });
  for (const job of service.jobs.values()) if (job.outcome === "never") job.outcome = "completed";
  for (const job of service.jobs.values()) if (job.durationMs === 600_000) job.durationMs = 60_000;
  delete world.program.jobId;
  let report = await world.up();
  await check(report, world);
  if (report.result !== "success") report = await world.up();
  await check(report, world);
  // the user does what the message says
  if (report.error?.message.includes("No run starts another job until") === true) {
    world.program.version = "changed after an unusable reply";
    report = await world.up();
    await check(report, world);
  }
  if (report.result !== "success") throw new Error(`it does not recover\n${world.story.join("\n")}`);
}
