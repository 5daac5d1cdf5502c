// Exports that were interrupted: by the time limit, the user, an error or a kill.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { intentOf } from "../../../provider/staticExport/inputs.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

const START = "POST /jobs";
let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

describe("an interrupted export", () => {
  test("continues the same job after a deadline", async () => {
    const { message, state } = await unfinished(site.create({}, 30_000));
    expect(message).toContain("time limit of 30s passed");
    expect(message).toContain("Nothing is lost: job job-1 is kept, and the next `pulumi up` continues it");
    expect(state.outputs).toMatchObject({ domain: "docs.example.com", jobId: "job-1" });
    expect(site.verdict(state)).toEqual({ ...nothing, hidden: true, code: "RESUMED" });
    site.requests();
    const { outputs } = await site.update(state);
    expect(site.requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(outputs).toMatchObject({ jobId: "job-1", status: "completed", pageCount: 41 });
  });

  test("continues after a last poll that took longer than a second: the error is the time limit, not the network", async () => {
    site.service.fault = ({ method }) =>
      method === "GET" && site.clock.monotonic() >= 29_000 ? "never" : undefined;
    const { message, state } = await unfinished(site.create({}, 30_000));
    expect(message).toMatch(/the time limit of 30s passed\. Last seen: running, \d+%/);
    expect(message).toContain("Nothing is lost: job job-1 is kept, and the next `pulumi up` continues it");
    expect(message).toContain("customTimeouts");
    expect(message).not.toContain("network");
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
  });

  test("L19, C12 continues with the bundle alone, and keeps the pages, over any number of runs between completion and link", async () => {
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const first = await unfinished(site.create());
    const second = await unfinished(site.update(first.state));
    site.service.fault = () => undefined;
    site.requests();
    expect((await site.update(second.state)).outputs.pageCount).toBe(41);
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
  });

  test("does not treat the pages that a refresh read midway as all", async () => {
    const { state } = await unfinished(site.create({}, 30_000));
    const seen = await site.read(state);
    expect(seen?.outputs.pageCount).toBeLessThan(41);
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const completed = await unfinished(site.update(seen ?? state));
    site.service.fault = () => undefined;
    expect((await site.update(completed.state)).outputs.pageCount).toBe(41);
  });

  test("keeps the pages that a refresh read after completion, also of an earlier release", async () => {
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const { state } = await unfinished(site.create());
    site.service.fault = () => undefined;
    // an earlier release did not record them itself
    delete state.bookkeeping.unfinished?.pageCount;
    const seen = await site.read(state);
    site.requests();
    expect((await site.update(seen ?? state)).outputs.pageCount).toBe(41);
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
  });

  test("continues the job of a killed run, which not all replicas of the service know yet, also under another name", async () => {
    site.service.lagMs = 6_000;
    await unfinished(site.create({}, 2_000));
    site.records.processKilled();
    site.reporter.lines.info.length = 0;
    const formerUrn = site.context().urn;
    const renamed = {
      ...site.context(),
      urn: `${String(formerUrn)}-renamed`,
      ...(formerUrn && { formerUrn }),
    };
    const { outputs } = await site.clock.run(staticExport.create(renamed, site.inputs));
    expect(outputs.jobId).toBe("job-1");
    expect(site.reporter.lines.info.filter((line) => !/^\d+%/.test(line))).toEqual([
      "RESUMED: job job-1 of an earlier attempt is continued; no job is started",
    ]);
    expect(site.reporter.lines.warn).toEqual([]);
  });

  test("continues the job of an update that was killed", async () => {
    const state = await site.create();
    site.records.operationEnded();
    await unfinished(site.update(state, { version: "v2" }, 30_000));
    site.records.processKilled();
    expect((await site.update(state, { version: "v2" })).outputs.jobId).toBe("job-2");
    expect(site.service.started).toBe(2);
  });

  test("ignores a record that is older than the export of the state, as from the cache of a pipeline", async () => {
    await unfinished(site.create({ version: "v1" }, 20_000)); // job-1, on a machine that was killed
    const cached = new Map(site.records.jobs);
    site.records.jobs.clear();
    const second = await site.create({ version: "v1" }); // job-2, on another machine
    const third = await site.update(second, { version: "v2" }); // job-3
    site.records.processKilled();
    for (const [key, record] of cached) site.records.jobs.set(key, record);
    expect((await site.update(third, { version: "v1" })).outputs.jobId).toBe("job-4");
  });

  test("uses a record that is newer than the export, though older than a renewed link", async () => {
    const first = await site.create({ version: "v1" });
    site.clock.advance(10_000);
    await unfinished(site.update(first, { version: "v2" }, 20_000)); // job-2
    site.clock.advance(3_600_000);
    const renewed = await site.update(first, { version: "v1" }); // the link alone
    const settings = await site.update(renewed, { version: "v1", renewBefore: "1m" });
    // it is newer than the export, though older than the link
    expect((await site.update(settings, { version: "v2", renewBefore: "1m" })).outputs.jobId).toBe("job-2");
  });

  test("is continued in one process, where Pulumi repeats an operation, and is not called the first export", async () => {
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 400, body: {} } : undefined);
    await unfinished(site.create());
    expect(site.reporter.lines.info).toContain("NEW: this is the first export, so a job is started");
    site.reporter.lines.info.length = 0;
    site.service.fault = () => undefined;
    expect((await site.create()).outputs.jobId).toBe("job-1");
    const decisions = site.reporter.lines.info.filter((line) => /^[A-Z_]+: /.test(line));
    expect(decisions).toEqual(["RESUMED: job job-1 of an earlier attempt is continued; no job is started"]);
  });

  test("leaves no record behind once the state has its job", async () => {
    await unfinished(site.create({}, 30_000));
    expect([...site.records.jobs.values()]).toMatchObject([{ jobId: "job-1" }]);
    site.records.operationEnded();
    expect(site.records.jobs.size).toBe(0);
  });

  test("continues while the user stops it, and says so", async () => {
    const controller = new AbortController();
    site.clock.after(10_000, () => controller.abort(new Error("stopped")));
    const { state } = await unfinished(
      site.clock.run(staticExport.create(site.context(controller.signal), site.inputs)),
    );
    expect(state.bookkeeping.unfinished).toMatchObject({ jobId: "job-1", completed: false });
  });

  test("is recorded with a salted digest of the wanted content, another each time; those of earlier releases are valid", async () => {
    const secret = { version: "s3cret" };
    const first = await unfinished(site.create(secret, 20_000));
    site.clock.chance = 0.75;
    const second = await unfinished(site.update(first.state, secret, 20_000));
    const [one, other] = [first, second].map(({ state }) => state.bookkeeping.unfinished);
    expect(one?.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(other?.salt).not.toBe(one?.salt);
    expect(other?.intent).not.toBe(one?.intent);
    for (const unfinished of [one, other]) {
      expect(unfinished?.intent).not.toBe(intentOf({ ...site.inputs, ...secret }));
    }
    const old = {
      ...one,
      intent: intentOf({ ...site.inputs, ...secret }),
      jobId: "job-1",
      completed: false,
      salt: undefined,
    };
    const state = { ...first.state, bookkeeping: { ...first.state.bookkeeping, unfinished: old } };
    expect(site.verdict(state, secret)).toMatchObject({ code: "RESUMED" });
    expect(site.verdict(state, { version: "v2" })).toMatchObject({ code: "NEW_CONTENT" });
    expect((await site.update(state, secret)).outputs.jobId).toBe("job-1");
  });

  test("is recorded without a salt where nothing can be secret, so that earlier releases continue it", async () => {
    const { state } = await unfinished(site.create({}, 20_000));
    expect(state.bookkeeping.unfinished).toEqual({
      intent: intentOf(site.inputs),
      jobId: "job-1",
      completed: false,
    });
  });

  test("starts again when other content is wanted by then", async () => {
    const { state } = await unfinished(site.create({}, 30_000));
    site.requests();
    const { outputs } = await site.update(state, { version: "v2" });
    expect(site.requests()[0]).toBe(START);
    expect(outputs).toMatchObject({ jobId: "job-2", version: "v2" });
  });

  test("starts again with a warning when its job is gone", async () => {
    const { state } = await unfinished(site.create({}, 30_000));
    site.service.jobs.delete("job-1");
    site.service.jobs.set("other", { domain: "x", startedAtMs: 0, outcome: "completed" });
    const { outputs } = await site.update(state);
    expect(outputs.jobId).toBe("job-2");
    expect(site.reporter.lines.warn).toEqual([
      expect.stringContaining("JOB_GONE: the service no longer has job job-1"),
    ]);
  });

  test.each([
    ["403, as for a site of another organization", 403],
    ["401", 401],
    ["404, as for an unknown site", 404],
  ])(
    "continues the job of a killed run after runs with a key of another account: it answers %s",
    async (_, status) => {
      await unfinished(site.create({}, 20_000));
      site.records.processKilled(); // the state has nothing
      for (let run = 0; run < 2; run++) {
        const body = { error: "no such job" };
        site.service.fault = ({ method }) => (method === "GET" ? { status: 404, body } : { status });
        expect((await caught(site.create())).message).toContain("No job was started.");
        site.records.operationEnded();
      }
      site.service.fault = () => undefined;
      site.requests();
      expect((await site.create()).outputs.jobId).toBe("job-1");
      expect(site.requests()).not.toContain(START);
    },
  );

  test("continues the job of a killed run, also when the run between was interrupted before it reached it", async () => {
    const { state } = await unfinished(site.create({}, 20_000));
    site.records.operationEnded();
    site.service.jobs.delete("job-1");
    await unfinished(site.update(state, {}, 20_000)); // starts job-2, and is killed: its result is never stored
    site.records.processKilled();
    const between = await unfinished(site.update(state, {}, 5_000));
    site.records.operationEnded();
    expect((await site.update(between.state)).outputs.jobId).toBe("job-2");
  });

  test("also continues after other content failed", async () => {
    const { state } = await unfinished(site.create({}, 20_000));
    const error = await caught(site.update(state, { jobId: "job-3" }));
    expect(error).not.toBeInstanceOf(UnfinishedError); // the state stays as it was
    site.service.outcome = "failed";
    expect(await caught(site.update(state, { version: "v2" }))).not.toBeInstanceOf(UnfinishedError);
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
  });

  test("continues a job that the service does not know yet", async () => {
    site.service.lagMs = 6_000;
    const { state } = await unfinished(site.create({}, 2_000));
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    const second = await unfinished(site.create({ version: "v2" }, 2_000));
    const pinned = { version: "v2", jobId: "job-2" };
    expect((await site.update(second.state, pinned)).outputs.jobId).toBe("job-2");
  });

  test("starts nothing when its job was given and is gone", async () => {
    site.service.fault = () => ({ status: 400 });
    const pinned = { jobId: "job-3" };
    const { state } = await unfinished(site.create(pinned));
    site.service.fault = () => undefined;
    site.requests();
    const again = await unfinished(site.update(state, pinned));
    expect(again.message).toContain("no job job-3");
    expect(site.requests()).toEqual(["GET /jobs/job-3"]); // polled for ten seconds
    expect(site.verdict(again.state, pinned)).toMatchObject({ hidden: true, code: "ADOPTED" });
  });

  test("is no job any more where its successor failed", async () => {
    const { state } = await unfinished(site.create({}, 30_000));
    site.service.jobs.delete("job-1");
    site.service.outcome = "failed";
    const again = await unfinished(site.update(state));
    expect(again.message).toContain("job-2 failed");
    expect(again.state.bookkeeping.unfinished).toMatchObject({ completed: false });
    expect(again.state.bookkeeping.unfinished?.jobId).toBeUndefined();
  });

  test("never continues a failed job: the next run starts a new one", async () => {
    const { state } = await unfinished(site.create({}, 30_000));
    const job = site.service.jobs.get("job-1");
    if (job) job.outcome = "failed";
    const again = await unfinished(site.update(state));
    expect(again.message).toContain("job-1 failed");
    expect(again.state.bookkeeping.unfinished).toMatchObject({ completed: false });
    expect(again.state.bookkeeping.unfinished?.jobId).toBeUndefined();
    expect(site.verdict(again.state)).toEqual({ ...nothing, hidden: true, code: "STARTED_AGAIN" });
    expect((await site.update(again.state)).outputs.jobId).toBe("job-2");
    site.records.operationEnded();
    const pinned = await unfinished(site.update(state, { jobId: "job-1" }));
    expect((await site.update(pinned.state)).outputs.jobId).toBe("job-3");
  });
});

test("an unfinished run for other content leaves the record of a killed run's job", async () => {
  const site = new SimulatedExport();
  const first = await site.create({ version: "v1" });
  site.records.operationEnded();
  await unfinished(site.update(first, { version: "v2" }, 20_000)); // killed: the state never gets it
  site.records.processKilled();
  const { state } = await unfinished(site.update(first, { version: "v3" }, 20_000));
  site.records.operationEnded();
  expect((await site.update(state, { version: "v2" })).outputs.jobId).toBe("job-2");
  site.records.operationEnded();
  expect(site.records.jobs.size).toBe(0);
});
