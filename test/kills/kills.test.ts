// The provider process is killed (SIGKILL) at random instants of a create; the next `up` completes it. A few kills run in `npm
// test`, fifty in `npm test -- kills`. SEED=… repeats a run.
import { afterAll, expect, test } from "vitest";
import { docs } from "../stack/programFolder.ts";
import { startsOf } from "../stack/requests.ts";
import { buildWorld, previewIsEmpty, succeeded } from "../stack/world.ts";
import { AFTERMATH_MS, JOB_DURATION_MS, randomInstants } from "./createTimeline.ts";
import { killCreate, type Kind } from "./killedCreate.ts";

/** A sample by default. */
const COUNT = Number(process.env["KILLS"] ?? 4);
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));

/** Kills after which there must be exactly one start: the provider had certainly read the service's answer. */
const ANSWERED: readonly Kind[] = ["while polling", "in the bundle call", "after it"];

const outcomes: { kind: Kind; starts: number }[] = [];

test.concurrent.for(randomInstants(COUNT, SEED).map((instant, index) => ({ ...instant, number: index + 1 })))(
  `kill $number of ${COUNT}, at $percent% of the create: the next up leaves a complete export`,
  async (instant, context) => {
    const world = await buildWorld(context, "local", { jobDurationMs: JOB_DURATION_MS, ownProcesses: true });
    world.program(
      `const made = ${docs()}
       made.bundleUrl.apply(() => new Promise((done) => setTimeout(done, ${AFTERMATH_MS})));`,
    );
    const kind = await killCreate(world, instant);

    world.program(docs());
    const stack = await world.open({ reuseProcesses: true }); // other instances are not killed
    succeeded(await stack.up());
    const starts = startsOf(world.service.requests).length;
    outcomes.push({ kind, starts });
    expect(starts, `starts after a kill ${kind}`).toBeLessThanOrEqual(ANSWERED.includes(kind) ? 1 : 2);
    expect(starts).toBeGreaterThanOrEqual(1);

    const { outputs, initErrors } = await world.exported();
    expect(initErrors).toEqual([]);
    expect(outputs).toMatchObject({ status: "completed", version: outputs["jobId"], pageCount: 1 });
    expect(Date.parse(String(outputs["renewAfter"]))).toBeLessThan(Date.parse(String(outputs["expiresAt"])));
    expect((await fetch(String(outputs["bundleUrl"]), { method: "HEAD" })).status).toBe(200);

    await previewIsEmpty(world, stack);
  },
);

afterAll(() => {
  const runs = new Map<string, number>();
  for (const { kind, starts } of outcomes) {
    const row = `${kind}, ${starts} ${starts === 1 ? "start" : "starts"}`;
    runs.set(row, (runs.get(row) ?? 0) + 1);
  }
  const lines = [...runs].map(([row, count]) => `  ${count} ${row}`).sort();
  console.log([`SEED=${SEED}: ${outcomes.length} kills`, ...lines].join("\n"));
  const unanswered = outcomes.filter(({ kind }) => kind === "between start and reply");
  if (outcomes.length >= 50) expect(unanswered.length).toBeGreaterThanOrEqual(3);
});
