import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { caught, nothing, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

describe("a link near its end", () => {
  test("is renewed by exactly one request, for the same job", async () => {
    const state = await site.create();
    site.requests();
    site.clock.advance(39 * 60_000);
    expect(site.verdict(state)).toEqual(nothing);
    site.clock.advance(2 * 60_000);
    expect(site.verdict(state)).toEqual({ ...nothing, hidden: true, because: "RENEW_WINDOW" });
    site.reporter.lines.progress.length = 0;
    const renewed = await site.update(state);
    expect(site.reporter.lines.progress).toEqual(["renewing the link"]);
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
    expect(renewed.outputs).toMatchObject({
      jobId: "job-1",
      version: "job-1",
      pageCount: 41,
      status: "completed",
    });
    expect(renewed.outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
    expect(site.verdict(renewed)).toEqual(nothing);
  });

  test("is renewed at once when a new renewBefore makes it due", async () => {
    const state = await site.create({ renewBefore: "10m" });
    site.clock.advance(45 * 60_000);
    site.requests();
    expect(site.verdict(state)).toEqual({ ...nothing, changed: ["renewBefore"], because: "RENEW_WINDOW" });
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

  test("C11 a renewBefore that becomes longer than the link's life is told once, and asks for nothing", async () => {
    const state = await site.create();
    site.requests();
    const recorded = await site.update(state, { renewBefore: "48h" });
    expect(site.requests()).toEqual([]);
    expect(site.reporter.lines.warn).toEqual([
      expect.stringMatching(/renewBefore is 48h, .* renewed 30m before its end/),
    ]);
    await site.update(recorded, { renewBefore: "48h", apiKeyEnv: "OTHER_KEY" });
    expect(site.requests()).toEqual([]);
    expect(site.reporter.lines.warn).toHaveLength(1);
  });

  test("is renewed while other content waits to be gone on with", async () => {
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
      expect.stringContaining("JOB_GONE: the service does not have job job-1 any more"),
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
