import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DeadlineExceededError } from "../../../provider/base/runtime/messages/errors.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

describe("a link near its end", () => {
  test("is renewed at once when a new renewBefore makes it due", async () => {
    const state = await site.create({ renewBefore: "10m" });
    site.clock.advance(45 * 60_000);
    site.requests();
    expect(site.verdict(state)).toEqual({ ...nothing, changed: ["renewBefore"], code: "RENEW_WINDOW" });
    const renewed = await site.update(state);
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
    expect(site.verdict(renewed)).toEqual(nothing);
  });

  test.each(["48h", "1h", "31m"])(
    "C11 is renewed once in half of its life, with a renewBefore of %s and a life of 1h",
    async (renewBefore) => {
      const patient = { renewBefore };
      let state = await site.create(patient);
      const warning = `renewBefore is ${renewBefore}, more than half of the life of the link to job job-1: it is renewed 30m before its end`;
      expect(site.reporter.lines.warn).toEqual([warning]);
      site.requests();
      for (let minutes = 0; minutes < 120; minutes += 5) {
        if (site.diff(state, patient).hidden) state = await site.update(state, patient);
        site.clock.advance(5 * 60_000);
      }
      expect(site.service.requests).toEqual(Array(3).fill("POST /jobs/job-1/bundle"));
      expect(site.reporter.lines.warn).toEqual(Array(4).fill(warning)); // one for each link
    },
  );

  test("is renewed while other content waits to be continued", async () => {
    const state = await site.create();
    const cutOff = await unfinished(site.update(state, { version: "v2" }, 30_000));
    site.records.operationEnded();
    site.clock.advance(3_600_000);
    const renewed = await site.update(cutOff.state);
    expect(renewed.outputs.jobId).toBe("job-1");
    expect((await site.update(renewed, { version: "v2" })).outputs.jobId).toBe("job-2");
  });

  test("whose job is gone leads to a new export and a warning", async () => {
    const state = await site.create();
    site.service.jobs.delete("job-1");
    site.service.jobs.set("other", { domain: "x", startedAtMs: 0, outcome: "completed" });
    site.clock.advance(3_600_000);
    expect((await site.update(state)).outputs.jobId).toBe("job-2");
    expect(site.reporter.lines.warn).toEqual([
      expect.stringContaining("JOB_GONE: the service no longer has job job-1"),
    ]);
  });

  test("whose job was given and is gone is an error, and nothing is started", async () => {
    await site.create();
    const pinned = { jobId: "job-1" };
    const state = await site.create(pinned);
    site.service.jobs.delete("job-1");
    site.clock.advance(3_600_000);
    site.requests();
    expect((await caught(site.update(state, pinned))).message).toContain("The old link stays in place.");
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
  });
});

describe("a renewal that the service does not answer", () => {
  const MINUTE_MS = 60_000;
  const outage = (): void => site.answer("bundle", () => ({ status: 503, body: { error: "down" } }));
  /** How long an update took that failed, in milliseconds, and its error. */
  async function failing(update: () => Promise<unknown>): Promise<[number, Error]> {
    const begunMs = site.clock.monotonic();
    const error = await caught(update());
    return [site.clock.monotonic() - begunMs, error];
  }

  test("ends after five minutes; its error says that nothing is lost, and until when the old link works", async () => {
    const state = await site.create();
    site.clock.advance(45 * MINUTE_MS);
    outage();
    site.requests();
    const [tookMs, error] = await failing(() => site.update(state));
    expect(tookMs).toBeGreaterThan(4.5 * MINUTE_MS);
    expect(tookMs).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect(error).toBeInstanceOf(DeadlineExceededError); // and not one with another state
    expect(error.message).toMatch(
      /^docs\.example\.com: the link was not renewed in time: POST .*\/bundle answered 503: down; the time limit of 5m leaves no time for another attempt\. Nothing is lost: the export \(job job-1\) and its old link stay; the link ends 2026-01-01T01:01:00\.\d{3}Z \(in 10m [\ds ]+\)\. The next `pulumi up` tries again\. The time limit is the input renewalTimeout, or the resource option customTimeouts where that is shorter\.$/,
    );
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
  });

  test("says that the old link has ended, and nothing about an unknown end", async () => {
    const state = await site.create();
    site.clock.advance(2 * 60 * MINUTE_MS);
    outage();
    const [, ended] = await failing(() => site.update(state));
    expect(ended.message).toMatch(
      /its old link stay; the link ends 2026-01-01T01:01:00\.\d{3}Z \(1h \dm ago\)\./,
    );
    site.service.fault = () => undefined;
    site.service.linkLifeMs = undefined;
    const endless = await site.create();
    outage();
    const [, error] = await failing(() => site.update(endless, { apiKeyEnv: "OTHER_KEY" }));
    expect(error.message).toContain("and its old link stay. The next");
  });

  test.each([
    ["the renewalTimeout that is given", { renewalTimeout: "90s" }, undefined, 1.5, "1m 30s"],
    ["a longer one", { renewalTimeout: "10m" }, undefined, 10, "10m"],
    ["the limit of updates where that is shorter", {}, MINUTE_MS, 1, "1m"],
    ["its own limit where that of updates is longer", { renewalTimeout: "2m" }, 60 * MINUTE_MS, 2, "2m"],
  ])("ends after %s", async (_, given, limitMs, minutes, limit) => {
    const state = await site.create(given);
    site.clock.advance(45 * MINUTE_MS);
    outage();
    const [tookMs, error] = await failing(() => site.update(state, given, limitMs));
    expect(tookMs).toBeLessThanOrEqual(minutes * MINUTE_MS);
    expect(tookMs).toBeGreaterThan(minutes * MINUTE_MS - 25_000);
    expect(error.message).toContain(`the time limit of ${limit} leaves no time`);
  });

  test("also ends after its own limit where the answer never comes", async () => {
    const state = await site.create();
    site.clock.advance(45 * MINUTE_MS);
    site.service.fault = () => "never";
    const [tookMs, error] = await failing(() => site.update(state, {}, 20_000));
    expect(tookMs).toBe(20_000);
    expect(error.message).toMatch(
      /not renewed in time: the time limit of 20s passed before POST .* was answered in full\. Nothing/,
    );
    expect(error.message).not.toContain("raise the limit");
  });
});

describe("a renewal whose job is gone", () => {
  test("exports again within the limit of exports, however short its own", async () => {
    const state = await site.create();
    site.service.jobs.delete("job-1");
    site.service.durationMs = 20 * 60_000;
    site.clock.advance(3_600_000);
    const { outputs } = await site.update(state, { renewalTimeout: "90s" });
    expect(outputs).toMatchObject({ jobId: "job-2", renewalTimeout: "90s" });
  });

  test("has used a part of the limit of exports by then", async () => {
    const state = await site.create();
    site.service.outcome = "never";
    site.service.jobs.delete("job-1");
    site.clock.advance(3_600_000);
    site.answer("bundle", (number) =>
      number < 12 ? { status: 503, headers: { "retry-after": "10" } } : undefined,
    );
    const begunMs = site.clock.monotonic();
    const { message } = await unfinished(site.update(state, {}, 10 * 60_000));
    expect(message).toContain("waited for export job job-2");
    expect(message).toContain("the time limit of 10m passed");
    expect(site.clock.monotonic() - begunMs).toBeGreaterThan(9.9 * 60_000);
    expect(site.clock.monotonic() - begunMs).toBeLessThanOrEqual(10 * 60_000);
  });
});
