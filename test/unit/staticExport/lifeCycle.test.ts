import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Context } from "../../../provider/resource/context.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import { UnfinishedError } from "../../../provider/resource/unfinishedError.ts";
import type { CheckedInputs } from "../../../provider/staticExport/inputs.ts";
import { intentOf } from "../../../provider/staticExport/intent.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

const START = "POST /jobs";
let site: SimulatedExport;
let clock: SimulatedExport["clock"];
let service: SimulatedExport["service"];
let reporter: SimulatedExport["reporter"];
let records: SimulatedExport["records"];
let inputs: CheckedInputs;

beforeEach(() => {
  site = new SimulatedExport();
  ({ clock, service, reporter, records, inputs } = site);
});

afterEach(() => {
  site.expectNoSecretShown();
});

const context = (signal?: AbortSignal): Context => site.context(signal);
const create: SimulatedExport["create"] = (...given) => site.create(...given);
const update: SimulatedExport["update"] = (...given) => site.update(...given);
const verdict: SimulatedExport["verdict"] = (...given) => site.verdict(...given);
const requests = (): string[] => site.requests();

describe("create", () => {
  test("starts one job, waits for it, and mints one link", async () => {
    const { outputs } = await create();
    expect(requests()).toEqual([START, "GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(outputs).toEqual({
      ...inputs,
      version: "job-1",
      jobId: "job-1",
      status: "completed",
      pageCount: 41,
      bundleUrl: expect.stringContaining("https://store.example.test/job-1.tar.gz?X-Signature=") as string,
      expiresAt: new Date(clock.now() + 3_600_000).toISOString(),
      renewAfter: expect.stringMatching(/^2026-01-01T00:41:00/) as string,
    });
  });

  test("shows status, percent, pages and time, and names the job", async () => {
    await create();
    expect(reporter.lines.info).toEqual([
      "NEW: the first export, so a job is to be started",
      "export job job-1 started",
    ]);
    expect(reporter.lines.progress[0]).toBe("starting the export");
    expect(reporter.lines.progress.at(-1)).toBe("packing the bundle");
    expect(reporter.lines.progress).toContainEqual(
      expect.stringMatching(/^running, 5\d%, 1\d pages, about \d\ds left$/),
    );
  });

  test("is followed by no difference and no request", async () => {
    const state = await create();
    service.forgetRequests();
    expect(verdict(state)).toEqual(nothing);
    expect(service.requests).toEqual([]);
  });

  test.each(["ECONNREFUSED", "EHOSTUNREACH", "never"])(
    "of a service that never answers (%s) ends after two minutes",
    async (error) => {
      service.fault = () => (error === "never" ? error : { error });
      const failure = await caught(create({ ...inputs, jobId: "job-1" }));
      expect(failure.message).toContain("nothing of the service answered for ");
      expect(failure.message).toContain("Check the network, the base URL");
      expect(clock.monotonic()).toBeGreaterThan(90_000);
      expect(clock.monotonic()).toBeLessThan(150_000); // one attempt may last 30 s
      expect(service.requests.length).toBeLessThan(30);
    },
  );

  test("of a service that answered before, whatever it said, is tried until the time limit", async () => {
    service.fault = (_request, number) => (number === 1 ? { status: 503 } : { error: "ECONNREFUSED" });
    const failure = await caught(create());
    expect(failure.message).toContain("the time limit of 30m leaves no room for another try");
    expect(clock.monotonic()).toBeGreaterThan(29 * 60_000);
  });

  test("of a service that is back after a minute and a half goes well", async () => {
    service.fault = () => (clock.monotonic() < 90_000 ? { error: "ECONNREFUSED" } : undefined);
    expect((await create()).outputs.jobId).toBe("job-1");
  });

  test("adopts a job that is given, and starts none", async () => {
    const other = await create();
    requests();
    const { outputs } = await create({ ...inputs, jobId: other.outputs.jobId });
    expect(requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(outputs).toMatchObject({ jobId: "job-1", version: "job-1" });
  });

  test.each([
    [401, "rejected the API key", "No job was started."],
    [403, "enterprise plan", "No job was started."],
    [403, "one that may only read can refresh, but not start", "No job was started."],
    [403, "this machine's address is not one that the organization allows", "No job was started."],
    [
      400,
      "answered 400: no. No job was started. Check that docs.example.com is a site",
      "No job was started.",
    ],
    [
      404,
      "answered 404: no. No job was started. Check that docs.example.com is a site",
      "No job was started.",
    ],
    [422, "Check that docs.example.com is a site of the organization", "No job was started."],
    [500, "answered 500", "No job is known to have been started."],
    [501, "answered 501", "No job is known to have been started."],
  ])("refused with %i names the site, the trouble and what is lost", async (status, trouble, lost) => {
    service.fault = () => ({ status, body: { error: "no" } });
    const error = await caught(create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toMatch(/^docs\.example\.com: /);
    expect(error.message).toContain(trouble);
    expect(error.message).toContain(lost);
  });

  test("of a job that is given and not there fails at the first look", async () => {
    const { message } = await caught(create({ ...inputs, jobId: "job-7" }));
    expect(message).toContain("no job job-7");
    expect(service.requests).toEqual(["GET /jobs/job-7"]);
  });

  test("looks again no sooner than the service asks for", async () => {
    site.answer("status", (number) =>
      number === 1
        ? { headers: { "retry-after": "45" }, body: { status: "running" } }
        : { body: { status: "completed" } },
    );
    service.durationMs = 0;
    expect((await create()).outputs).not.toHaveProperty("pageCount");
    expect(service.requests.filter((request) => request.startsWith("GET"))).toHaveLength(2);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(45_000);
  });

  test("waits longer each time that a completed job is not ready to be packed", async () => {
    service.durationMs = 0;
    const refusedAt: number[] = [];
    site.answer("bundle", (number) => {
      if (number > 3) return undefined;
      refusedAt.push(clock.monotonic());
      return { status: 409 };
    });
    await create();
    const pauses = refusedAt.slice(1).map((atMs, index) => atMs - (refusedAt[index] ?? 0));
    expect(pauses).toEqual([2_000, 4_000]);
  });

  test.each([
    [true, "by the service's own clock is an error", undefined],
    [
      false,
      "by this machine's alone is a warning",
      "by this machine's clock the link to job job-1 has expired already; the service does not tell the time, so check the clock",
    ],
  ])("with a link that ends as it is minted, date told: %s, %s", async (isTold, _, warning) => {
    service.durationMs = 0;
    service.fault = ({ path }) => {
      if (isTold && !path.endsWith("/bundle")) return undefined;
      const date = new Date(clock.trueNow()).toUTCString();
      const expiresAt = new Date(clock.trueNow()).toISOString();
      return {
        ...(isTold && { headers: { date } }),
        body: { jobId: "job-1", status: "completed", bundleUrl: "https://store.example.test/a", expiresAt },
      };
    };
    if (warning !== undefined) {
      await create();
      expect(reporter.lines.warn).toEqual([warning]);
      return;
    }
    const { message } = await unfinished(create());
    expect(message).toContain("the service minted a link for job job-1 that has expired already.");
    expect(message).toContain("Report this to the service's support: its own clock says so.");
  });

  test("of a job that fails tells the reason, and leaves nothing behind", async () => {
    service.outcome = "failed";
    service.reason = "page guide.md is broken, key svc_secret";
    const error = await caught(create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toBe(
      "docs.example.com: job job-1 failed: the service says: page guide.md is broken, key [removed]. " +
        "Mend what the service names, then run `pulumi up` again: it starts a new job.",
    );
  });

  test("of a given job that failed says how to come to another: none is started in its place", async () => {
    service.outcome = "failed";
    const advice = "give the `jobId` of another job, or none, and run `pulumi up` again.";
    await caught(create());
    const silent = await caught(create({ ...inputs, jobId: "job-1" }));
    expect(silent.message).toContain(`about job job-1, or ${advice}`);
    service.reason = "page guide.md is broken";
    await caught(create());
    const told = await caught(create({ ...inputs, jobId: "job-2" }));
    expect(told.message).toContain(`Mend what the service names, then ${advice}`);
    expect(service.started).toBe(2);
  });
});

describe("a service that says more than is needed", () => {
  test("gets the export options beside the domain, which they cannot change", async () => {
    const bodies: unknown[] = [];
    service.fault = ({ method, path, body }) => {
      if (method === "POST" && path.endsWith("/jobs")) bodies.push(body);
      return undefined;
    };
    const exportOptions = { paths: ["/guide"], draft: null, domain: "other.example.com" };
    const state = await create({ ...inputs, exportOptions });
    expect(bodies).toEqual([{ paths: ["/guide"], draft: null, domain: "docs.example.com" }]);
    expect(
      verdict(state, {
        ...inputs,
        exportOptions: { draft: null, domain: "other.example.com", paths: ["/guide"] },
      }),
    ).toEqual(nothing);
    const { state: cutOff } = await unfinished(
      update(state, { ...inputs, exportOptions: { paths: ["/api"] } }, 30_000),
    );
    expect((await update(cutOff, { ...inputs, exportOptions: { paths: ["/api"] } })).outputs.jobId).toBe(
      "job-2",
    );
  });

  test("no export options and empty ones are the same", async () => {
    const state = await create();
    expect(verdict(state, { ...inputs, exportOptions: {} })).toEqual(nothing);
    const { state: cutOff } = await unfinished(update(state, { ...inputs, version: "v2" }, 30_000));
    expect(verdict(cutOff, { ...inputs, version: "v2", exportOptions: {} })).toMatchObject({
      because: "RESUMED",
    });
  });

  test("export options do nothing while a job is given", async () => {
    const state = await create();
    requests();
    await update(state, { ...inputs, jobId: "job-1", exportOptions: { paths: ["/guide"] } });
    expect(requests()).toEqual([]);
  });

  const startedAs = (job: object): void => {
    service.fault = ({ method, path }, _number, process) => {
      if (method !== "POST" || !path.endsWith("/jobs")) return undefined;
      process();
      return { status: 202, body: { jobId: "job-1", domain: "docs.example.com", ...job } };
    };
  };

  test("a start that is answered by a job that is completed needs no look", async () => {
    service.durationMs = 0;
    startedAs({ status: "completed", progress: 100, pageCount: 7 });
    expect((await create()).outputs).toMatchObject({ jobId: "job-1", status: "completed", pageCount: 7 });
    expect(requests()).toEqual([START, "POST /jobs/job-1/bundle"]);
  });

  test("a start that is answered by a job said to be completed, which it is not, is looked at", async () => {
    startedAs({ status: "completed", pageCount: 7 });
    expect((await create()).outputs.pageCount).toBe(41);
  });

  test("a start that is answered by a job that has failed is an error with its reason, and is not gone on with", async () => {
    startedAs({ status: "failed", error: "guide.md is broken" });
    const error = await caught(create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toContain("job job-1 failed: the service says: guide.md is broken.");
    expect(requests()).toEqual([START]);
    service.fault = () => undefined;
    expect((await create()).outputs.jobId).toBe("job-2");
  });

  test.each([
    { status: "queued", progress: 0 },
    { status: 7, pageCount: "many" },
    { status: "" },
    { status: null, error: {} },
  ])("a start that is answered with %j is waited for", async (job) => {
    startedAs(job);
    expect((await create()).outputs).toMatchObject({ jobId: "job-1", pageCount: 41 });
  });

  test("the size of the bundle is an output, and stays when a renewed link comes without it", async () => {
    let sizeBytes: unknown = 5_000;
    site.answer("bundle", () => ({
      body: {
        bundleUrl: `https://store.example.test/a?${String(clock.now())}`,
        sizeBytes,
        expiresAt: clock.now() / 1_000 + 3_600,
      },
    }));
    const state = await create();
    expect(state.outputs.bundleSize).toBe(5_000);
    expect((await update(state, { ...inputs, renewBefore: "10m" })).outputs.bundleSize).toBe(5_000);
    sizeBytes = undefined;
    clock.advance(3_600_000);
    const renewed = await update(state);
    expect(renewed.outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
    expect(renewed.outputs.bundleSize).toBe(5_000);
    for (sizeBytes of [-1, 0.5, "large", null, 1e300]) {
      expect((await create({ ...inputs, version: String(sizeBytes) })).outputs).not.toHaveProperty(
        "bundleSize",
      );
    }
    sizeBytes = 6_000;
    expect((await update(renewed, { ...inputs, version: "v2" })).outputs.bundleSize).toBe(6_000);
  });
});

describe("what is interrupted", () => {
  test("goes on with the same job after a deadline", async () => {
    const { message, state } = await unfinished(create(inputs, 30_000));
    expect(message).toContain("time limit of 30s passed");
    expect(message).toContain("Nothing is lost: job job-1 goes on");
    expect(state.outputs).toMatchObject({ domain: "docs.example.com", jobId: "job-1" });
    expect(verdict(state)).toEqual({ ...nothing, hidden: true, because: "RESUMED" });
    requests();
    const { outputs } = await update(state);
    expect(requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(outputs).toMatchObject({ jobId: "job-1", status: "completed", pageCount: 41 });
  });

  test("goes on after a last look that took longer than a second: the time limit is told, not the network", async () => {
    service.fault = ({ method }) => (method === "GET" && clock.monotonic() >= 29_000 ? "never" : undefined);
    const { message, state } = await unfinished(create(inputs, 30_000));
    expect(message).toMatch(/the time limit of 30s passed\. Last seen: running, \d+%/);
    expect(message).toContain("Nothing is lost: job job-1 goes on");
    expect(message).toContain("customTimeouts");
    expect(message).not.toContain("network");
    service.fault = () => undefined;
    expect((await update(state)).outputs.jobId).toBe("job-1");
  });

  test("a first look that the time limit cuts off is told as that, with the job saved", async () => {
    service.fault = ({ method }) => (method === "GET" ? "never" : undefined);
    const { message } = await unfinished(create(inputs, 5_000));
    expect(message).toContain(
      "was not answered before the time limit of 5s passed. Nothing is lost: job job-1",
    );
    expect(message).not.toContain("network");
  });

  test("goes on with the bundle alone when the job was completed", async () => {
    service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const { state } = await unfinished(create());
    service.fault = () => undefined;
    requests();
    expect((await update(state)).outputs.pageCount).toBe(41);
    expect(requests()).toEqual(["POST /jobs/job-1/bundle"]);
  });

  test("C12 keeps the pages over any number of runs between completion and link", async () => {
    service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const first = await unfinished(create());
    const second = await unfinished(update(first.state));
    service.fault = () => undefined;
    expect((await update(second.state)).outputs.pageCount).toBe(41);
  });

  test("does not take the pages that a refresh saw in the middle of it for all", async () => {
    const { state } = await unfinished(create(inputs, 30_000));
    const seen = (await clock.run(staticExport.read(context(), state)))?.state;
    expect(seen?.outputs.pageCount).toBeLessThan(41);
    service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const completed = await unfinished(update(seen ?? state));
    service.fault = () => undefined;
    expect((await update(completed.state)).outputs.pageCount).toBe(41);
  });

  test("keeps the pages that a refresh saw once it was completed, of an earlier release, too", async () => {
    service.fault = ({ path }) => (path.endsWith("/bundle") ? { status: 501 } : undefined);
    const { state } = await unfinished(create());
    service.fault = () => undefined;
    // an earlier release did not note them itself
    delete state.bookkeeping.unfinished?.pageCount;
    const seen = await site.read(state);
    requests();
    expect((await update(seen ?? state)).outputs.pageCount).toBe(41);
    expect(requests()).toEqual(["POST /jobs/job-1/bundle"]);
  });

  test("goes on with the job of a killed run, which not all of the service knows yet, also under another name", async () => {
    service.lagMs = 6_000;
    await unfinished(create(inputs, 2_000));
    records.processKilled();
    reporter.lines.info.length = 0;
    const formerUrn = context().urn;
    const renamed = { ...context(), urn: `${String(formerUrn)}-renamed`, ...(formerUrn && { formerUrn }) };
    const { outputs } = await clock.run(staticExport.create(renamed, inputs));
    expect(outputs.jobId).toBe("job-1");
    expect(reporter.lines.info).toEqual([
      "NEW: the first export, so a job is to be started",
      "RESUMED: job job-1 of a run that was killed goes on, none is started",
    ]);
    expect(reporter.lines.warn).toEqual([]);
  });

  test("goes on with the job of an update that was killed", async () => {
    const state = await create();
    records.operationEnded();
    await unfinished(update(state, { ...inputs, version: "v2" }, 30_000));
    records.processKilled();
    expect((await update(state, { ...inputs, version: "v2" })).outputs.jobId).toBe("job-2");
    expect(service.started).toBe(2);
  });

  test("goes on with the same job where the keys of a trigger stand in another order", async () => {
    const triggers = [{ commit: "abc", branch: { name: "main", at: 7 } }];
    const { state } = await unfinished(create({ ...inputs, triggers }, 30_000));
    const reordered = [{ branch: { at: 7, name: "main" }, commit: "abc" }];
    requests();
    expect((await update(state, { ...inputs, triggers: reordered })).outputs.jobId).toBe("job-1");
    expect(requests()).not.toContain(START);
  });

  test("starts anew where the items of a trigger stand in another order", async () => {
    const { state } = await unfinished(create({ ...inputs, triggers: [["a", "b"]] }, 30_000));
    expect((await update(state, { ...inputs, triggers: [["b", "a"]] })).outputs.jobId).toBe("job-2");
  });

  test("leaves no record behind once the state has its job", async () => {
    await unfinished(create(inputs, 30_000));
    expect([...records.jobs.values()]).toMatchObject([{ jobId: "job-1" }]);
    records.operationEnded();
    expect(records.jobs.size).toBe(0);
  });

  test("goes on while the user stops it, and says so", async () => {
    const controller = new AbortController();
    clock.after(10_000, () => controller.abort(new Error("stopped")));
    const { state } = await unfinished(clock.run(staticExport.create(context(controller.signal), inputs)));
    expect(state.bookkeeping.unfinished).toMatchObject({ jobId: "job-1", completed: false });
  });

  test("is remembered with a salted digest of what was wanted, another each time; those of earlier releases count", async () => {
    const secret = { ...inputs, version: "s3cret" };
    const first = await unfinished(create(secret, 20_000));
    clock.chance = 0.75;
    const second = await unfinished(update(first.state, secret, 20_000));
    const [one, other] = [first, second].map(({ state }) => state.bookkeeping.unfinished);
    expect(one?.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(other?.salt).not.toBe(one?.salt);
    expect(other?.intent).not.toBe(one?.intent);
    for (const unfinished of [one, other]) expect(unfinished?.intent).not.toBe(intentOf(secret));
    const old = { ...one, intent: intentOf(secret), jobId: "job-1", completed: false, salt: undefined };
    const state = { ...first.state, bookkeeping: { ...first.state.bookkeeping, unfinished: old } };
    expect(verdict(state, secret)).toMatchObject({ because: "RESUMED" });
    expect(verdict(state, { ...inputs, version: "v2" })).toMatchObject({ because: "NEW_CONTENT" });
    expect((await update(state, secret)).outputs.jobId).toBe("job-1");
  });

  test("is remembered without a salt where nothing can be secret, so that earlier releases go on with it", async () => {
    const { state } = await unfinished(create(inputs, 20_000));
    expect(state.bookkeeping.unfinished).toEqual({
      intent: intentOf(inputs),
      jobId: "job-1",
      completed: false,
    });
  });

  test("starts anew when other content is wanted by then", async () => {
    const { state } = await unfinished(create(inputs, 30_000));
    requests();
    const { outputs } = await update(state, { ...inputs, version: "v2" });
    expect(requests()[0]).toBe(START);
    expect(outputs).toMatchObject({ jobId: "job-2", version: "v2" });
  });

  test("starts anew with a warning when its job is gone", async () => {
    const { state } = await unfinished(create(inputs, 30_000));
    service.jobs.delete("job-1");
    service.jobs.set("other", { domain: "x", startedAtMs: 0, outcome: "completed" });
    const { outputs } = await update(state);
    expect(outputs.jobId).toBe("job-2");
    expect(reporter.lines.warn).toEqual([
      expect.stringContaining("JOB_GONE: the service does not have job job-1 any more"),
    ]);
  });

  test("goes on with the job of a killed run, also when the run between was cut off before it came to it", async () => {
    const { state } = await unfinished(create(inputs, 20_000));
    records.operationEnded();
    service.jobs.delete("job-1");
    await unfinished(update(state, inputs, 20_000)); // starts job-2, and is killed: nobody stores what it returns
    records.processKilled();
    const between = await unfinished(update(state, inputs, 5_000));
    records.operationEnded();
    expect((await update(between.state)).outputs.jobId).toBe("job-2");
  });

  test("goes on also after other content was tried in vain", async () => {
    const { state } = await unfinished(create(inputs, 20_000));
    const error = await caught(update(state, { ...inputs, jobId: "job-3" }));
    expect(error).not.toBeInstanceOf(UnfinishedError); // the state stays as it was
    service.outcome = "failed";
    expect(await caught(update(state, { ...inputs, version: "v2" }))).not.toBeInstanceOf(UnfinishedError);
    expect((await update(state)).outputs.jobId).toBe("job-1");
  });

  test("goes on with a job that the service does not know yet", async () => {
    service.lagMs = 6_000;
    const { state } = await unfinished(create(inputs, 2_000));
    expect((await update(state)).outputs.jobId).toBe("job-1");
    const second = await unfinished(create({ ...inputs, version: "v2" }, 2_000));
    const pinned = { ...inputs, version: "v2", jobId: "job-2" };
    expect((await update(second.state, pinned)).outputs.jobId).toBe("job-2");
  });

  test("starts nothing when its job was given and is gone", async () => {
    service.fault = () => ({ status: 400 });
    const pinned = { ...inputs, jobId: "job-3" };
    const { state } = await unfinished(create(pinned));
    service.fault = () => undefined;
    requests();
    const again = await unfinished(update(state, pinned));
    expect(again.message).toContain("no job job-3");
    expect(requests()).toEqual(["GET /jobs/job-3"]); // asked for ten seconds
    expect(verdict(again.state, pinned)).toMatchObject({ hidden: true, because: "ADOPTED" });
  });

  test("is no job any more where the one that took its place failed", async () => {
    const { state } = await unfinished(create(inputs, 30_000));
    service.jobs.delete("job-1");
    service.outcome = "failed";
    const again = await unfinished(update(state));
    expect(again.message).toContain("job-2 failed");
    expect(again.state.bookkeeping.unfinished).toMatchObject({ completed: false });
    expect(again.state.bookkeeping.unfinished?.jobId).toBeUndefined();
  });

  test("is never a failed job: the next run starts a new one", async () => {
    const { state } = await unfinished(create(inputs, 30_000));
    const job = service.jobs.get("job-1");
    if (job) job.outcome = "failed";
    const again = await unfinished(update(state));
    expect(again.message).toContain("job-1 failed");
    expect(again.state.bookkeeping.unfinished).toMatchObject({ completed: false });
    expect(again.state.bookkeeping.unfinished?.jobId).toBeUndefined();
    expect(verdict(again.state)).toEqual({ ...nothing, hidden: true, because: "STARTED_AGAIN" });
    expect((await update(again.state)).outputs.jobId).toBe("job-2");
    const pinned = await unfinished(update(state, { ...inputs, jobId: "job-1" }));
    expect((await update(pinned.state)).outputs.jobId).toBe("job-3");
  });
});

describe("update", () => {
  test.each([
    ["version", { version: "v2" }],
    ["triggers", { triggers: ["abc"] }],
    ["exportOptions", { exportOptions: { paths: ["/guide"] } }],
  ])("exports again when %s changes", async (name, change) => {
    const state = await create();
    requests();
    const expected = { ...nothing, changed: [name], because: "NEW_CONTENT" };
    expect(verdict(state, { ...inputs, ...change })).toEqual(expected);
    const { outputs } = await update(state, { ...inputs, ...change });
    expect(requests()[0]).toBe(START);
    expect(outputs).toMatchObject({ jobId: "job-2", ...change });
    expect(outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
  });

  test.each([
    ["domain", { domain: "other.example.com" }],
    ["baseUrl", { baseUrl: "https://other.example.test" }],
  ])("a change of %s asks for a replacement", async (name, change) => {
    const expected = { changed: [name], replaces: [name], hidden: false, because: "REPLACED" };
    expect(verdict(await create(), { ...inputs, ...change })).toEqual(expected);
  });

  test.each([
    ["renewBefore", { renewBefore: "10m" }],
    ["apiKeyEnv", { apiKeyEnv: "SECOND_KEY" }],
  ])("records a change of %s without any request", async (name, change) => {
    const state = await create();
    requests();
    const expected = { ...nothing, changed: [name], because: "SETTINGS" };
    expect(verdict(state, { ...inputs, ...change })).toEqual(expected);
    const recorded = await update(state, { ...inputs, ...change });
    expect(requests()).toEqual([]);
    expect(recorded.outputs).toMatchObject({ bundleUrl: state.outputs.bundleUrl, ...change });
    expect(verdict(recorded, { ...inputs, ...change })).toEqual(nothing);
  });

  test("a recorded renewBefore moves the renewal, and moves it back when it is removed", async () => {
    const state = await create();
    const moved = await update(state, { ...inputs, renewBefore: "10m" });
    const leftMs = Date.parse(moved.outputs.expiresAt ?? "") - Date.parse(moved.outputs.renewAfter ?? "");
    expect(Math.floor(leftMs / 1_000)).toBe(600);
    expect((await update(moved)).outputs.renewAfter).toBe(state.outputs.renewAfter);
  });

  test("keeps the old link and names it when the new export fails", async () => {
    const state = await create();
    service.outcome = "failed";
    const error = await caught(update(state, { ...inputs, version: "v2" }));
    expect(error).not.toBeInstanceOf(UnfinishedError); // nothing to remember: the old state stays whole
    expect(error.message).toContain("no reason. The link to job job-1 stays in place. Ask ");
    service.outcome = "never";
    const stopped = await unfinished(update(state, { ...inputs, version: "v2" }, 30_000));
    expect(stopped.state.outputs).toEqual(state.outputs);
  });

  test("has no pages where the service does not say how many, whatever the export before had", async () => {
    const state = await create();
    reporter.lines.info.length = 0;
    site.answer("status", () => ({ body: { status: "completed" } }));
    service.durationMs = 0;
    const { outputs } = await update(state, { ...inputs, version: "v2" });
    expect(outputs).toMatchObject({ jobId: "job-2", version: "v2" });
    expect(outputs).not.toHaveProperty("pageCount");
    expect(reporter.lines.info).toEqual(["export job job-2 started"]); // the diff told the decision
  });

  test("rolls back to an older job by its id, and stays there when the id is removed", async () => {
    const first = await create({ ...inputs, version: "v1" });
    const second = await update(first, { ...inputs, version: "v2" });
    requests();
    const pinned = { ...inputs, version: "v1", jobId: "job-1" };
    const back = await update(second, pinned);
    expect(requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(back.outputs).toMatchObject({ jobId: "job-1", version: "v1" });
    const released = await update(back, { ...inputs, version: "v1" });
    expect(requests()).toEqual([]);
    expect(released.outputs).toMatchObject({ jobId: "job-1", version: "v1" });
  });

  test("rolls back also while a newer export is unfinished, and stays there when the id is removed", async () => {
    const first = await create();
    const cutOff = await unfinished(update(first, { ...inputs, version: "v2" }, 30_000));
    const back = await update(cutOff.state, { ...inputs, version: "v2", jobId: "job-1" });
    expect(verdict(back, { ...inputs, version: "v2" })).toMatchObject({ because: "SETTINGS" });
    expect((await update(back, { ...inputs, version: "v2" })).outputs.jobId).toBe("job-1");
  });

  test("takes the job of the link for old content, also when its record was left behind", async () => {
    const state = await create();
    records.processKilled(); // the state is stored, and its record still there
    const pinned = await update(state, { ...inputs, version: "v1", jobId: "job-1" });
    expect((await update(pinned)).outputs.jobId).toBe("job-2");
  });

  test("starts nothing while a job is given, whatever else changes", async () => {
    const state = await create({ ...inputs, version: "v1" });
    requests();
    const pinned = { ...inputs, version: "v1-again", triggers: [2], jobId: "job-1" };
    const { outputs } = await update(state, pinned);
    expect(requests()).toEqual([]);
    expect(outputs).toMatchObject({ version: "v1-again", jobId: "job-1" });
  });
});

describe("a link near its end", () => {
  test("is renewed by exactly one request, for the same job", async () => {
    const state = await create();
    requests();
    clock.advance(39 * 60_000);
    expect(verdict(state)).toEqual(nothing);
    clock.advance(2 * 60_000);
    expect(verdict(state)).toEqual({ ...nothing, hidden: true, because: "RENEW_WINDOW" });
    reporter.lines.progress.length = 0;
    const renewed = await update(state);
    expect(reporter.lines.progress).toEqual(["renewing the link"]);
    expect(requests()).toEqual(["POST /jobs/job-1/bundle"]);
    expect(renewed.outputs).toMatchObject({
      jobId: "job-1",
      version: "job-1",
      pageCount: 41,
      status: "completed",
    });
    expect(renewed.outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
    expect(verdict(renewed)).toEqual(nothing);
  });

  test("is renewed at once when a new renewBefore makes it due", async () => {
    const state = await create({ ...inputs, renewBefore: "10m" });
    clock.advance(45 * 60_000);
    requests();
    expect(verdict(state)).toEqual({ ...nothing, changed: ["renewBefore"], because: "RENEW_WINDOW" });
    const renewed = await update(state);
    expect(requests()).toEqual(["POST /jobs/job-1/bundle"]);
    expect(verdict(renewed)).toEqual(nothing);
  });

  test.each(["48h", "1h", "31m"])(
    "C11 is renewed once in half of its life, with a renewBefore of %s and a life of 1h",
    async (renewBefore) => {
      const patient = { ...inputs, renewBefore };
      let state = await create(patient);
      const warning = `renewBefore is ${renewBefore}, more than half of the life of the link to job job-1: it is renewed 30m before its end`;
      expect(reporter.lines.warn).toEqual([warning]);
      requests();
      for (let minutes = 0; minutes < 120; minutes += 5) {
        if (site.diff(state, patient).hidden) state = await update(state, patient);
        clock.advance(5 * 60_000);
      }
      expect(service.requests).toEqual(Array(3).fill("POST /jobs/job-1/bundle"));
      expect(reporter.lines.warn).toEqual(Array(4).fill(warning)); // one for each link
    },
  );

  test("C11 a renewBefore that becomes longer than the link's life is told once, and asks for nothing", async () => {
    const state = await create();
    requests();
    const recorded = await update(state, { ...inputs, renewBefore: "48h" });
    expect(requests()).toEqual([]);
    expect(reporter.lines.warn).toEqual([
      expect.stringMatching(/renewBefore is 48h, .* renewed 30m before its end/),
    ]);
    await update(recorded, { ...inputs, renewBefore: "48h", apiKeyEnv: "OTHER_KEY" });
    expect(requests()).toEqual([]);
    expect(reporter.lines.warn).toHaveLength(1);
  });

  test("is renewed while other content waits to be gone on with", async () => {
    const state = await create();
    const cutOff = await unfinished(update(state, { ...inputs, version: "v2" }, 30_000));
    records.operationEnded();
    clock.advance(3_600_000);
    const renewed = await update(cutOff.state);
    expect(renewed.outputs.jobId).toBe("job-1");
    expect((await update(renewed, { ...inputs, version: "v2" })).outputs.jobId).toBe("job-2");
  });

  test("whose job is gone leads to a new export and a warning", async () => {
    const state = await create();
    service.jobs.delete("job-1");
    service.jobs.set("other", { domain: "x", startedAtMs: 0, outcome: "completed" });
    clock.advance(3_600_000);
    expect((await update(state)).outputs.jobId).toBe("job-2");
    expect(reporter.lines.warn).toEqual([
      expect.stringContaining("JOB_GONE: the service does not have job job-1 any more"),
    ]);
  });

  test("whose job was given and is gone is an error, and nothing is started", async () => {
    await create();
    const pinned = { ...inputs, jobId: "job-1" };
    const state = await create(pinned);
    service.jobs.delete("job-1");
    clock.advance(3_600_000);
    requests();
    expect((await caught(update(state, pinned))).message).toContain("The old link stays in place.");
    expect(requests()).toEqual(["POST /jobs/job-1/bundle"]);
  });

  test("stays as it is when it cannot be renewed", async () => {
    const state = await create();
    clock.advance(3_600_000);
    service.fault = () => ({ status: 403, body: { error: "plan ended" } });
    expect((await caught(update(state))).message).toContain("The old link stays in place.");
  });
});

describe("refresh", () => {
  const read: SimulatedExport["read"] = (state) => site.read(state);

  test("asks for the job once, mints nothing, and changes nothing", async () => {
    const state = await create();
    requests();
    expect(await read(state)).toEqual(state);
    expect(requests()).toEqual(["GET /jobs/job-1"]);
  });

  test("waits for the job of a run that was cut off a moment after the start", async () => {
    service.lagMs = 6_000;
    const { state } = await unfinished(create(inputs, 2_000));
    expect(await read(state)).toMatchObject({ outputs: { jobId: "job-1", status: "running" } });
    service.jobs.clear();
    expect(await read(state)).toBeUndefined();
  });

  test("asks once for a job that was known, and proves that it is gone", async () => {
    const state = await create();
    service.jobs.clear();
    service.forgetRequests();
    expect(await read(state)).toBeUndefined();
    expect(service.requests).toEqual(["GET /jobs/job-1"]);
  });

  test("asks for the job of the link, and only once that is gone for the one that is to be gone on with", async () => {
    const whole = await create();
    const { state } = await unfinished(update(whole, { ...inputs, version: "v2" }, 30_000));
    requests();
    expect(await read(state)).toEqual(state);
    expect(requests()).toEqual(["GET /jobs/job-1"]);
    service.jobs.delete("job-1");
    expect(await read(state)).toEqual(state);
    expect(requests()).toEqual(["GET /jobs/job-1", "GET /jobs/job-2"]);
  });

  test("asks for the job that took the place of the first, and not for the first", async () => {
    const first = await unfinished(create(inputs, 30_000));
    service.jobs.delete("job-1");
    const { state } = await unfinished(update(first.state, inputs, 30_000));
    requests();
    expect(await read(state)).toEqual(state);
    expect(requests()).toEqual(["GET /jobs/job-2"]);
  });

  test("asks for nothing where no job was ever known", async () => {
    const { state } = await unfinished(create(inputs, 30_000));
    const unknown = {
      outputs: { ...state.outputs, jobId: "" },
      bookkeeping: { given: [], unfinished: { intent: "", completed: false } },
    };
    service.forgetRequests();
    expect(await read(unknown)).toBe(unknown);
    expect(service.requests).toEqual([]);
  });

  test("looks for ten seconds for a job that may be new", async () => {
    const { state } = await unfinished(create(inputs, 2_000));
    service.jobs.clear();
    service.forgetRequests();
    const startedAt = clock.monotonic();
    expect(await read(state)).toBeUndefined();
    expect(clock.monotonic() - startedAt).toBe(12_000);
    expect(service.requests).toHaveLength(7);
  });

  test("keeps the pages where the service does not say them any more", async () => {
    const state = await create();
    site.answer("status", () => ({ body: { status: "completed" } }));
    expect((await read(state))?.outputs).toStrictEqual(state.outputs);
  });

  test.each([401, 403, 410, 500, 503])("%i fails and leaves the state as it was", async (status) => {
    const state = await create();
    service.fault = () => ({ status });
    const error = await caught(read(state));
    expect(error.message).toContain("docs.example.com");
    expect(error.message).toContain("The state is unchanged.");
  });
});

test("a deletion forgets what was noted of the resource, and asks for nothing", async () => {
  const { state } = await unfinished(create(inputs, 30_000));
  service.forgetRequests();
  staticExport.remove({ resumeRecords: records }, state);
  staticExport.remove({ resumeRecords: records, urn: "urn:other" }, state);
  expect(records.jobs.size).toBe(1);
  staticExport.remove(context(), state);
  expect(records.jobs.size).toBe(0);
  expect(service.requests).toEqual([]);
});

test("no error shows the key or the query of a link", async () => {
  service.fault = ({ path, headers }) => ({
    status: path.endsWith("/bundle") ? 400 : 200,
    body: {
      jobId: "7",
      status: "completed",
      error: `${String(headers["authorization"])} https://store.example.test/x?X-Signature=c4n4ry`,
    },
  });
  const error = await caught(create());
  expect(error.message).toContain("answered 400");
  for (const secret of [service.key, "c4n4ry"])
    expect(`${error.message} ${String(error.stack)}`).not.toContain(secret);
});

describe("an export that something else manages", () => {
  const lookUp = async (given: Record<string, unknown>): Promise<StaticExportState> => {
    const wanted = { baseUrl: service.baseUrl, ...given };
    return (await clock.run(staticExport.lookUp(context(), "docs.example.com", wanted))).state;
  };

  test("is read once by its job, and has no link", async () => {
    await create();
    requests();
    const { outputs } = await lookUp({ jobId: "job-1", version: "v1" });
    expect(requests()).toEqual(["GET /jobs/job-1"]);
    expect(outputs).toMatchObject({ jobId: "job-1", version: "v1", status: "completed", pageCount: 41 });
    expect(outputs.bundleUrl).toBeUndefined();
  });

  test("is an error when its job is not there, or not named", async () => {
    expect((await caught(lookUp({ jobId: "job-7" }))).message).toContain("there is no job job-7 at https://");
    expect((await caught(lookUp({}))).message).toContain("jobId is needed to look an export up");
  });
});
