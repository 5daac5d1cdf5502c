// Ten thousand exports under faults, on a virtual clock: a fifth of all replies is a fault, of every transient kind.
import { describe, expect, test } from "vitest";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import type { ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { seededRandom } from "../../simulation/seededRandom.ts";
import { SimulatedExport } from "../../simulation/simulatedExport.ts";

const EXPORTS = 10_000;
const FAULTS = 0.2;
/** After these the service certainly did nothing. */
const UNPROCESSED: readonly ScriptedReply[] = [
  { error: "ECONNREFUSED" },
  { error: "EAI_AGAIN" },
  { status: 408 },
  { status: 425 },
  { status: 429 },
  { status: 429, headers: { "retry-after": "2" } },
  { status: 503 },
];
/** After these the result is unknown: the service acted in half of the cases. */
const AMBIGUOUS: readonly ScriptedReply[] = [
  { error: "ECONNRESET" },
  { status: 500 },
  { status: 502 },
  { status: 504 },
  "never",
];

/** The result of one export. */
interface Story {
  /** Runs of `pulumi up` until it was complete. */
  runs: number;
  jobs: number;
  /** Starts that the service may have processed although no reply came. */
  ambiguousStarts: number;
  /** Why the first run failed, if it did. */
  failure?: string;
}

async function exportOnce(seed: number, knowsIdempotencyKeys: boolean): Promise<Story> {
  const random = seededRandom(seed);
  const site = new SimulatedExport();
  const { clock, service } = site;
  clock.random = random;
  service.durationMs = 5_000 + 600_000 * random() ** 3;
  service.knowsIdempotencyKeys = knowsIdempotencyKeys;
  const story: Story = { runs: 0, jobs: 0, ambiguousStarts: 0 };
  service.fault = ({ method, path }, _, process) => {
    if (random() >= FAULTS) return undefined;
    const all = [...UNPROCESSED, ...AMBIGUOUS];
    const fault = all[Math.floor(random() * all.length)] ?? "never";
    if (AMBIGUOUS.includes(fault)) {
      if (method === "POST" && path.endsWith("/jobs")) story.ambiguousStarts++;
      if (random() < 0.5) process();
    }
    return fault;
  };
  let state: StaticExportState | undefined;
  for (let done = false; !done && story.runs < 10;) {
    story.runs++;
    try {
      state = await (state ? site.update(state) : site.create());
      done = state.outputs.bundleUrl !== undefined;
    } catch (error) {
      story.failure ??= (error as Error).message;
      if (error instanceof UnfinishedError) state = error.state as StaticExportState;
    }
  }
  story.jobs = service.started;
  return story;
}

async function stories(count: number, knowsIdempotencyKeys: boolean): Promise<Story[]> {
  const all: Story[] = [];
  for (let seed = 1; seed <= count; seed++) all.push(await exportOnce(seed, knowsIdempotencyKeys));
  return all;
}

describe("a fifth of all replies is a fault", () => {
  test(`${EXPORTS} exports: only a start without an answer twice in a row, or a service that only refuses connections for 15 s, needs another run`, async () => {
    const all = await stories(EXPORTS, false);
    const share = (isPart: (story: Story) => boolean): number => all.filter(isPart).length / all.length;
    const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;
    const withinTwo = share(({ runs }) => runs <= 2);
    console.log(
      `${percent(share(({ runs }) => runs === 1))} of ${all.length} exports succeeded in the first run, ` +
        `${percent(withinTwo)} within two; ${percent(share(({ jobs }) => jobs > 1))} made a second job`,
    );
    expect(withinTwo).toBeGreaterThanOrEqual(0.999);
    for (const { runs, jobs, ambiguousStarts, failure } of all) {
      const wasRefused = failure?.includes("ECONNREFUSED); the service did not answer for") ?? false;
      if (runs > 1) {
        const isExplained = ambiguousStarts >= 2 || wasRefused;
        expect([isExplained, failure]).toEqual([true, expect.stringContaining("No job is known")]);
      }
      if (ambiguousStarts === 0 && !wasRefused) expect([runs, jobs]).toEqual([1, 1]);
      expect(jobs).toBeLessThanOrEqual(1 + ambiguousStarts);
    }
  }, 600_000);

  test("a service with idempotency keys creates one job for each export, under all faults", async () => {
    const all = await stories(EXPORTS / 10, true);
    expect(all.filter(({ ambiguousStarts }) => ambiguousStarts > 0).length).toBeGreaterThan(0);
    expect(new Set(all.map(({ jobs }) => jobs))).toEqual(new Set([1]));
  });
});
