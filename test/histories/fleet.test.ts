import { describe, expect, test } from "vitest";
import { allowedRepeats, countedAs, type Fault, retryDelayMs } from "../../provider/base/http/retryPolicy.ts";
import { planExport } from "../../provider/staticExport/plan.ts";
import { finishedState } from "../../provider/staticExport/state.ts";
import { CALM, type FleetFigures, type FleetOptions, simulateFleet } from "../simulation/fleet/fleet.ts";
import type { ProviderCode } from "../simulation/fleet/providerCode.ts";
import { renewLink } from "../simulation/fleet/renewal.ts";
import { Timeline } from "../simulation/fleet/timeline.ts";
import type { ScriptedReply } from "../simulation/scriptedFetch.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import { SimulatedExport } from "../simulation/simulatedExport.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CODE: ProviderCode = { planExport, finishedState, allowedRepeats, countedAs, retryDelayMs };

/** 1,000 sites with all faults and all cures; the bench has 10,000 (`npm run bench -- fleet`). */
const ALL_FAULTS: FleetOptions = {
  ...CALM,
  stacks: 40,
  sitesPerStack: 25,
  workers: 10,
  perMinute: 2 * 60,
  failedPart: 0.01,
  killedPart: 1 / 1_000,
  outages: [
    { fromMs: 40 * HOUR_MS, toMs: 40 * HOUR_MS + 10 * MINUTE_MS, kind: "answers" },
    { fromMs: 90 * HOUR_MS, toMs: 96 * HOUR_MS, kind: "answers" },
  ],
};
const SILENT = { outages: ALL_FAULTS.outages.map((outage) => ({ ...outage, kind: "silent" as const })) };
const week = (changes: Partial<FleetOptions> = {}): FleetFigures =>
  simulateFleet(CODE, { ...ALL_FAULTS, ...changes });

describe("a fleet in a week of outages of 10 min and 6 h, kills and failed requests", () => {
  const cured = week();

  test("with all cures, no site is without a valid link", () => {
    expect(cured).toMatchObject({ siteHours: 0, deadStacks: 0 });
  });

  test("neither is one when the service does not answer in the outages", () => {
    expect(week(SILENT)).toMatchObject({ siteHours: 0, deadStacks: 0 });
  });

  test("retries are 5 % of the resyncs at most", () => {
    const resyncs = ALL_FAULTS.stacks * ALL_FAULTS.days * 24;
    expect(cured.runs).toBeLessThanOrEqual(1.05 * resyncs);
    expect(cured.runs).toBeGreaterThan(0.95 * resyncs);
  });

  test("each link is renewed at two thirds of its life, so ten times", () => {
    const sites = ALL_FAULTS.stacks * ALL_FAULTS.sitesPerStack;
    expect(cured.renewals / sites).toBeGreaterThan(9.5);
    expect(cured.renewals / sites).toBeLessThan(10.5);
  });

  test("without the waking CronJob, sites lose their links, and stacks never run again", () => {
    const { siteHours, deadStacks } = week({ ...SILENT, wakeEveryMs: undefined });
    expect(siteHours).toBeGreaterThan(0);
    expect(deadStacks).toBeGreaterThan(0);
  });

  test("without `pulumi cancel` at a container's start, each kill costs a stack", () => {
    const { siteHours, deadStacks } = week({ isCancelledAtStart: false });
    expect(siteHours).toBeGreaterThan(0);
    expect(deadStacks).toBeGreaterThan(0);
  });
});

test("a service with a quota below the number of due links leaves sites without a link", () => {
  const needed = (ALL_FAULTS.stacks * ALL_FAULTS.sitesPerStack) / (16 * 60);
  const calm = { outages: [], failedPart: 0, killedPart: 0 };
  expect(week({ ...calm, perMinute: Math.ceil(1.5 * needed) }).siteHours).toBe(0);
  expect(week({ ...calm, perMinute: Math.floor(0.7 * needed) }).siteHours).toBeGreaterThan(0);
});

describe("a simulated renewal", () => {
  /** The replies of a service with a fault, by the time since the renewal began: repaired at some time, or never. */
  function brokenService(random: () => number): (elapsedMs: number) => Fault | undefined {
    const kinds: (Fault | undefined)[] = [
      { kind: "unreachable", code: "ECONNREFUSED" },
      { kind: "unreachable", code: "ENOTFOUND" },
      { kind: "interrupted", code: "ECONNRESET" },
      { kind: "status", status: 503, retryAfterMs: undefined },
      { kind: "status", status: 500, retryAfterMs: undefined },
      { kind: "status", status: 429, retryAfterMs: 1_000 * Math.ceil(random() * 120) },
    ];
    const one = (count: number): Fault | undefined => kinds[Math.floor(random() * count)];
    // a quota comes last: requests after it are paced (`base/http/pacer.ts`), which the simulation leaves out
    const [first, second] = [one(kinds.length - 1), one(kinds.length)];
    const changesMs = random() * 3 * MINUTE_MS;
    const mendedMs = random() < 0.3 ? Infinity : changesMs + random() * 8 * MINUTE_MS;
    return (elapsedMs) => (elapsedMs < changesMs ? first : elapsedMs < mendedMs ? second : undefined);
  }

  const replyOf = (fault: Fault): ScriptedReply => {
    if ("code" in fault) return { error: fault.code };
    if (fault.kind !== "status") throw new Error(`${fault.kind} is not in the script`);
    const { status, retryAfterMs } = fault;
    return {
      status,
      body: {},
      ...(retryAfterMs !== undefined && { headers: { "retry-after": String(retryAfterMs / 1_000) } }),
    };
  };

  interface Course {
    /** The time of each request, in milliseconds since the renewal began. */
    attempts: number[];
    isRenewed: boolean;
    endMs: number;
  }

  /** The virtual clocks sum from different origins, which shows in the last digits. */
  const inWholeMs = ({ attempts, isRenewed, endMs }: Course): Course => ({
    attempts: attempts.map(Math.round),
    isRenewed,
    endMs: Math.round(endMs),
  });

  async function realCourse(seed: number, limitMs: number): Promise<Course> {
    const world = new SimulatedExport();
    world.service.linkLifeMs = DAY_MS;
    const inputs = { renewalTimeout: `${limitMs / MINUTE_MS}m` };
    const state = await world.create(inputs);
    world.clock.advance(17 * HOUR_MS);
    const beganMs = world.clock.monotonic();
    const elapsedMs = (): number => world.clock.monotonic() - beganMs;
    const answer = brokenService(seededRandom(seed));
    world.clock.random = seededRandom(seed + 1);
    const attempts: number[] = [];
    world.service.fault = () => {
      attempts.push(elapsedMs());
      const fault = answer(elapsedMs());
      return fault && replyOf(fault);
    };
    const isRenewed = await world.update(state, inputs, limitMs).then(
      () => true,
      () => false,
    );
    return inWholeMs({ attempts, isRenewed, endMs: elapsedMs() });
  }

  function simulatedCourse(seed: number, limitMs: number): Course {
    const timeline = new Timeline();
    const answer = brokenService(seededRandom(seed));
    const attempts: number[] = [];
    const course: Course = { attempts, isRenewed: false, endMs: -1 };
    const context = {
      code: CODE,
      timeline,
      random: seededRandom(seed + 1),
      roundTripMs: () => 0,
      answer: (nowMs: number) => {
        attempts.push(nowMs);
        return answer(nowMs);
      },
    };
    renewLink(context, limitMs, (isRenewed) => {
      course.isRenewed = isRenewed;
      course.endMs = timeline.nowMs;
    });
    timeline.runUntil(DAY_MS);
    return inWholeMs(course);
  }

  test("sends requests when the provider does, and ends at the same time with the same result", async () => {
    const ends = { renewed: 0, failed: 0 };
    for (let seed = 1; seed <= 60; seed++) {
      const limitMs = seed % 2 === 0 ? 5 * MINUTE_MS : 30 * MINUTE_MS;
      const real = await realCourse(seed, limitMs);
      expect(simulatedCourse(seed, limitMs), `seed ${seed}`).toEqual(real);
      ends[real.isRenewed ? "renewed" : "failed"]++;
    }
    // both results occurred
    expect(Math.min(ends.renewed, ends.failed)).toBeGreaterThan(10);
  });
});
