import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

const START = "POST /jobs";
let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

describe("update", () => {
  test.each([
    ["version", { version: "v2" }],
    ["triggers", { triggers: ["abc"] }],
    ["exportOptions", { exportOptions: { paths: ["/guide"] } }],
  ])("exports again when %s changes", async (name, change) => {
    const state = await site.create();
    site.requests();
    const expected = { ...nothing, changed: [name], code: "NEW_CONTENT" };
    expect(site.verdict(state, change)).toEqual(expected);
    const { outputs } = await site.update(state, change);
    expect(site.requests()[0]).toBe(START);
    expect(outputs).toMatchObject({ jobId: "job-2", ...change });
    expect(outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
  });

  test.each([
    ["renewBefore", { renewBefore: "10m" }],
    ["renewalTimeout", { renewalTimeout: "10m" }],
    ["apiKeyEnv", { apiKeyEnv: "SECOND_KEY" }],
  ])("records a change of %s without any request", async (name, change) => {
    const state = await site.create();
    site.requests();
    const expected = { ...nothing, changed: [name], code: "SETTINGS" };
    expect(site.verdict(state, change)).toEqual(expected);
    const recorded = await site.update(state, change);
    expect(site.requests()).toEqual([]);
    expect(recorded.outputs).toMatchObject({ bundleUrl: state.outputs.bundleUrl, ...change });
    expect(site.verdict(recorded, change)).toEqual(nothing);
  });

  test("missing export options and empty ones are the same, and so are those in another order", async () => {
    const state = await site.create();
    expect(site.verdict(state, { exportOptions: {} })).toEqual(nothing);
    const given = await site.create({ exportOptions: { paths: ["/guide"], draft: null } });
    const reordered = { exportOptions: { draft: null, paths: ["/guide"] } };
    expect(site.verdict(given, reordered)).toEqual(nothing);
  });

  test("a recorded renewBefore moves the renewal, and moves it back when it is removed", async () => {
    const state = await site.create();
    const moved = await site.update(state, { renewBefore: "10m" });
    const leftMs = Date.parse(moved.outputs.expiresAt ?? "") - Date.parse(moved.outputs.renewAfter ?? "");
    expect(Math.floor(leftMs / 1_000)).toBe(600);
    expect((await site.update(moved)).outputs.renewAfter).toBe(state.outputs.renewAfter);
  });

  test("L18, L44 keeps the old link and names it when the new export fails", async () => {
    const state = await site.create();
    site.service.outcome = "failed";
    const error = await caught(site.update(state, { version: "v2" }));
    expect(error).not.toBeInstanceOf(UnfinishedError); // nothing to record: the old state stays whole
    expect(error.message).toContain("no reason. The link to job job-1 stays in place. Ask ");
    site.service.outcome = "never";
    const stopped = await unfinished(site.update(state, { version: "v2" }, 30_000));
    expect(stopped.state.outputs).toEqual(state.outputs);
  });

  test("has no pages if the service does not report them, even if the previous export had some", async () => {
    const state = await site.create();
    site.reporter.lines.info.length = 0;
    site.answer("status", () => ({ body: { status: "completed" } }));
    site.service.durationMs = 0;
    const { outputs } = await site.update(state, { version: "v2" });
    expect(outputs).toMatchObject({ jobId: "job-2", version: "v2" });
    expect(outputs).not.toHaveProperty("pageCount");
    expect(site.reporter.lines.info).toEqual(["export job job-2 started"]); // the diff has the decision
  });

  test("rolls back to an older job by its id, and stays there when the id is removed", async () => {
    const first = await site.create({ version: "v1" });
    const second = await site.update(first, { version: "v2" });
    site.requests();
    const pinned = { version: "v1", jobId: "job-1" };
    const back = await site.update(second, pinned);
    expect(site.requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(back.outputs).toMatchObject({ jobId: "job-1", version: "v1" });
    const released = await site.update(back, { version: "v1" });
    expect(site.requests()).toEqual([]);
    expect(released.outputs).toMatchObject({ jobId: "job-1", version: "v1" });
  });

  test("rolls back also while a newer export is unfinished, and stays there when the id is removed", async () => {
    const first = await site.create();
    const cutOff = await unfinished(site.update(first, { version: "v2" }, 30_000));
    const back = await site.update(cutOff.state, { version: "v2", jobId: "job-1" });
    expect(site.verdict(back, { version: "v2" })).toMatchObject({ code: "SETTINGS" });
    expect((await site.update(back, { version: "v2" })).outputs.jobId).toBe("job-1");
  });

  test("uses the job of the link for old content, also when its record was left behind", async () => {
    const state = await site.create();
    site.records.processKilled(); // the state is stored, and its record still exists
    const pinned = await site.update(state, { version: "v1", jobId: "job-1" });
    expect((await site.update(pinned)).outputs.jobId).toBe("job-2");
  });

  test("starts nothing while a job is given, even if other inputs change", async () => {
    const state = await site.create({ version: "v1" });
    site.requests();
    const exportOptions = { paths: ["/guide"] };
    const pinned = { version: "v1-again", triggers: [2], exportOptions, jobId: "job-1" };
    const { outputs } = await site.update(state, pinned);
    expect(site.requests()).toEqual([]);
    expect(outputs).toMatchObject({ version: "v1-again", jobId: "job-1" });
  });

  test("the size of the bundle is an output, and stays when a renewed link comes without it", async () => {
    let sizeBytes: number | undefined = 5_000;
    site.answer("bundle", () => ({
      body: {
        bundleUrl: `https://store.example.test/a?${String(site.clock.now())}`,
        sizeBytes,
        expiresAt: site.clock.now() / 1_000 + 3_600,
      },
    }));
    const state = await site.create();
    expect(state.outputs.bundleSize).toBe(5_000);
    sizeBytes = undefined;
    site.clock.advance(3_600_000);
    const renewed = await site.update(state);
    expect(renewed.outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
    expect(renewed.outputs.bundleSize).toBe(5_000);
    expect((await site.update(renewed, { version: "v2" })).outputs).not.toHaveProperty("bundleSize");
  });
});
