// A hundred exports of one `up` in one process, against a service with a rate limit: on a virtual clock, from the session of the
// process down to its requests.
import { describe, expect, test } from "vitest";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { tracingTo } from "../../../../provider/base/runtime/tracing/tracer.ts";
import { staticExport } from "../../../../provider/staticExport/lifeCycle.ts";
import { COUNTING, limitedFetch } from "../../../simulation/limitedFetch.ts";
import { MemoryRecords } from "../../../simulation/memoryRecords.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { seededRandom } from "../../../simulation/seededRandom.ts";
import { SimulatedService } from "../../../simulation/simulatedService.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const COUNT = 100;
const JOB_MS = 20_000;

interface Figures {
  sent: number;
  refused: number;
  /** When the last export had its link, in seconds. */
  seconds: number;
  /** When the last of the jobs had been started, in milliseconds. */
  startedMs: number;
}

/** @param passes makes the rate limit of the service; none accepts everything */
async function exportAll({
  passes,
  latencyMs = 50,
}: {
  passes?: (clock: VirtualClock) => () => boolean;
  latencyMs?: number;
}): Promise<Figures> {
  const clock = new VirtualClock();
  clock.random = seededRandom(1);
  const service = new SimulatedService(clock);
  service.durationMs = JOB_MS;
  const gate = limitedFetch(service.fetch, clock, { latencyMs, ...(passes && { passes: passes(clock) }) });
  const session = new Session(
    {
      fetch: gate.fetch,
      lookup: () => undefined,
      clock,
      machine: "build-agent",
      environment: (name) => (name.endsWith("_KEY") ? service.key : undefined),
      reporter: () => ({ ...recordingReporter(), close: () => undefined }),
      watchForCancel: () => undefined,
      watchEngine: () => undefined,
      exit: () => undefined,
      tracing: tracingTo(undefined, () => expect.fail("there is no endpoint")),
    },
    publications({ environment: () => undefined }),
  );
  const resumeRecords = new MemoryRecords(); // the test needs no disk
  const all = Array.from({ length: COUNT }, (_, index) =>
    session.operation("create", { urn: `urn:${index}` }, new Secrets(), (context) =>
      staticExport.create(
        { ...context, resumeRecords },
        {
          domain: `site-${index}.example.com`,
          baseUrl: service.baseUrl,
          apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
        },
      ),
    ),
  );
  const states = await clock.run(Promise.all(all));
  expect(states.filter(({ outputs }) => outputs.bundleUrl !== undefined)).toHaveLength(COUNT);
  expect(service.started).toBe(COUNT);
  const { sent, refused } = gate;
  const startedMs = Math.max(...[...service.jobs.values()].map(({ startedAtMs }) => startedAtMs));
  return { sent, refused, seconds: clock.monotonic() / 1_000, startedMs };
}

describe("a hundred exports at a service that accepts five requests a second", () => {
  const ways = ["fixedWindow", "slidingWindow", "tokenBucket"] as const;
  test.each(ways)("have at most one in twenty of their requests refused, by a %s", async (way) => {
    const { sent, refused, seconds } = await exportAll({ passes: (clock) => COUNTING[way](clock, 5) });
    expect(refused).toBeGreaterThan(0);
    expect(refused / sent).toBeLessThanOrEqual(0.05);
    expect(seconds).toBeLessThan(80); // the 300 requests that they need take 60 s
  });
});

describe("a hundred exports at a service that refuses nothing", () => {
  test("have all of their jobs within six round trips, and end as usual", async () => {
    const { refused, startedMs, seconds } = await exportAll({});
    expect(refused).toBe(0);
    expect(startedMs).toBeLessThan(6 * 50);
    expect(seconds).toBeLessThan(26.5);
  });

  test("have all of their jobs within 1.2 s and one trip where each answer takes seconds", async () => {
    const { startedMs } = await exportAll({ latencyMs: 10_000 });
    expect(startedMs).toBeLessThan(1_200 + 0.7 * 10_000);
  });
});
