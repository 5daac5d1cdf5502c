// The service's statuses of a job, and missing ones: T01 to T09, T12 to T15, H13 to H15 and N22 of the faults.
import { afterEach, beforeEach, expect, test } from "vitest";
import { UnfinishedError } from "../../provider/resource/lifeCycle.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../simulation/simulatedExport.ts";

const WHOLE = ["POST /jobs", "GET /jobs/job-1", "POST /jobs/job-1/bundle"];
let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

const OTHERWISE_WRITTEN =
  "the service writes the status of job job-1 in another letter case or with white space around it: it is accepted";

test.each([
  ["T01", "paused", 'job job-1 has the unknown status "paused"; it counts as still running'],
  ["T03", "RUNNING", OTHERWISE_WRITTEN],
])("%s the status %s counts as running, with one warning however often it is read", async (...row) => {
  const [, status, warning] = row;
  site.answer("status", () => (site.clock.monotonic() < 60_000 ? { body: { status } } : undefined));
  expect((await site.create()).outputs.status).toBe("completed");
  expect(site.reporter.lines.warn).toEqual([warning]);
});

/** The polls of a job return these statuses in turn, and its bundle is ready at the last of them. */
function pollsReturn(...statuses: string[]): string[] {
  site.service.fault = ({ method, path }) => {
    if (method === "GET") return { body: { status: statuses.shift() ?? "completed" } };
    return path.endsWith("/bundle") && statuses.length > 0 ? { status: 409 } : undefined;
  };
  return statuses;
}

test("T01 the warning is given once, also when a second call waits for the job", async () => {
  const left = pollsReturn("paused", "completed", "paused", "completed");
  site.service.durationMs = 0;
  await site.create();
  expect(left).toEqual([]);
  expect(site.reporter.lines.warn).toEqual([expect.stringContaining('"paused"')]);
});

const NO_STATUS = [
  {},
  { status: null },
  { status: 1 },
  { status: "" },
  { status: " " },
  { status: ["completed"] },
];

test.each(NO_STATUS)("T02 %j is polled again, and the next status counts", async (body) => {
  site.answer("status", (number) => (number <= 5 ? { body } : undefined));
  expect((await site.create()).outputs.status).toBe("completed");
});

test.each(NO_STATUS)("T02 %j for ever is an error after five repeats, and the job is kept", async (body) => {
  let polls = 0;
  site.answer("status", (number) => ((polls = number), { body }));
  const { message, state } = await unfinished(site.create());
  expect(polls).toBe(6);
  expect(message).toContain(
    'GET https://api.example.test/v1/static-export/jobs/job-1 answered without a "status"',
  );
  expect(state.bookkeeping.unfinished).toMatchObject({ jobId: "job-1", completed: false });
});

test.each(["COMPLETED", " completed ", "Completed\n"])(
  "T03 «%s» is completed, with a warning",
  async (status) => {
    site.service.durationMs = 0;
    site.answer("status", () => ({ body: { status } }));
    expect((await site.create()).outputs.status).toBe("completed");
    expect(site.requests()).toEqual(WHOLE);
    expect(site.reporter.lines.warn).toEqual([OTHERWISE_WRITTEN]);
  },
);

test("T03 «FAILED » is failed", async () => {
  site.answer("status", () => ({ body: { status: "FAILED ", error: "no pages" } }));
  expect((await caught(site.create())).message).toContain("job-1 failed: the service says: no pages.");
});

test("T04 a job that returns from running to queued is waited for as before", async () => {
  site.answer("status", (number) =>
    number <= 6 ? { body: { status: number < 4 ? "running" : "queued" } } : undefined,
  );
  expect((await site.create()).outputs).toMatchObject({ status: "completed", jobId: "job-1" });
  expect(site.requests()).toEqual(WHOLE);
  expect(site.reporter.lines.warn).toEqual([]);
});

test("T05 completed is final: the job is not polled again, and the request for the bundle decides", async () => {
  site.service.durationMs = 0;
  site.answer("status", (number) => ({ body: { status: number === 1 ? "completed" : "running" } }));
  expect((await site.create()).outputs.status).toBe("completed");
  expect(site.requests()).toEqual(WHOLE);
});

test("T05, H15 a bundle that is refused with 409 returns to polling, five times at most", async () => {
  let refusals = 0;
  site.answer("bundle", () => (++refusals <= 5 ? { status: 409 } : undefined));
  expect((await site.create()).outputs.status).toBe("completed");
  expect(site.requests()).toEqual([WHOLE[0], ...Array.from({ length: 6 }, () => WHOLE.slice(1)).flat()]);
  refusals = 0;
  site.answer("bundle", () => (++refusals, { status: 409 }));
  const { state } = await unfinished(site.create());
  expect(refusals).toBe(6);
  site.service.fault = () => undefined;
  expect((await site.update(state)).outputs.jobId).toBe(state.outputs.jobId);
});

test("T05 a job that was completed when the run was interrupted is waited for again if its bundle is refused", async () => {
  site.answer("bundle", () => ({ status: 501 }));
  const { state } = await unfinished(site.create());
  site.requests();
  pollsReturn("running", "completed");
  expect((await site.update(state)).outputs.status).toBe("completed");
  expect(site.requests()).toEqual([WHOLE[2], WHOLE[1], WHOLE[2]]);
});

test.each([
  {},
  { error: null },
  { error: "" },
  { error: " \n" },
  { error: "\u001b[0m" },
  { error: { code: 7 } },
])("T06 a job that failed with %j failed without a reason, and is not continued", async (said) => {
  site.answer("status", () => ({ body: { status: "failed", ...said } }));
  const error = await caught(site.create());
  expect(error).not.toBeInstanceOf(UnfinishedError);
  expect(error.message).toBe(
    "docs.example.com: job job-1 failed, and the service gave no reason. " +
      "Ask the service's support about job job-1. The next `pulumi up` starts a new job.",
  );
});

test("T07 a megabyte of reason is cut to a kilobyte, without terminal sequences, key or link", async () => {
  const { key } = site.service;
  const reason = [
    "\u001b[31mbroken\u001b[0m\r\n\u0000\u0007guide.md\u202E",
    ...[key, encodeURIComponent(key), Buffer.from(key).toString("base64"), `Bearer ${key}`],
    "https://store.example.test/a?X-Signature=c4n4ry",
    "x".repeat(1_000_000),
  ].join(" ");
  site.answer("status", () => ({ body: { status: "failed", error: reason } }));
  const { message } = await caught(site.create());
  expect(message).toMatch(/^docs\.example\.com: job job-1 failed: the service says: broken guide\.md /);
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(message.length).toBeLessThan(1_200);
  expect(message).toContain("xxx…");
});

test("T07 a status is shown as carefully as a reason, and stays so after a refresh", async () => {
  const state = await site.create();
  const status = `\u001b[31m${Buffer.from(site.service.key).toString("base64")} ${"x".repeat(2_000)}`;
  site.answer("status", () => ({ body: { status } }));
  const seen = await site.read(state);
  expect(seen?.outputs.status).toMatch(/^\[removed\] x{900,1000}…$/);
  await unfinished(site.create());
});

test("T08 a job that never ends is an error at the time limit that names it, and is kept", async () => {
  site.service.outcome = "never";
  const { message, state } = await unfinished(site.create(site.inputs, 600_000));
  expect(message).toContain("waited for export job job-1 of docs.example.com to be completed");
  expect(message).toContain("time limit of 10m passed");
  expect(message).toContain("Nothing is lost: job job-1 is kept, and the next `pulumi up` continues it");
  expect(site.clock.monotonic()).toBeLessThanOrEqual(600_000);
  expect(state.outputs.jobId).toBe("job-1");
  expect(site.verdict(state)).toEqual({ ...nothing, hidden: true, code: "RESUMED" });
});

test("T09 a job that is completed at the first poll: one start, one poll, one link, and no wait", async () => {
  site.service.durationMs = 0;
  await site.create();
  expect(site.service.requests).toEqual(WHOLE);
  expect(site.clock.waits).toEqual([]);
});

test.each(["-5", "1e309", "-1e309", "1.5", "9007199254740993", "null", '"many"', "[]", undefined])(
  "T12 a pageCount of %s counts as none",
  async (pageCount) => {
    const rest = pageCount === undefined ? "" : `,"pageCount":${pageCount}`;
    site.answer("status", (number) => ({
      text: `{"status":"${number > 2 ? "completed" : "running"}"${rest}}`,
    }));
    site.service.durationMs = 0;
    const state = await site.create();
    expect(state.outputs).not.toHaveProperty("pageCount");
    expect(site.reporter.lines.progress).toContain("running");
    expect(site.reporter.lines.warn).toEqual([]);
    expect(site.verdict(state)).toEqual(nothing);
  },
);

test("T12 a pageCount that is a whole number in text is accepted", async () => {
  site.service.durationMs = 0;
  site.answer("status", () => ({ body: { status: "completed", pageCount: "42" } }));
  expect((await site.create()).outputs.pageCount).toBe(42);
});

test("T13 an export of no pages is completed, with one warning", async () => {
  site.service.durationMs = 0;
  site.service.fault = ({ method, path }, number) => {
    if (method === "GET") return { body: { status: "completed", pageCount: 0 } };
    return path.endsWith("/bundle") && number < 5 ? { status: 409 } : undefined;
  };
  expect((await site.create()).outputs).toMatchObject({ status: "completed", pageCount: 0 });
  expect(site.reporter.lines.warn).toEqual(["job job-1 is completed, but exported 0 pages"]);
});

test.each([
  ["T14 a clock that is put an hour ahead", 3_600_000],
  ["T14 a clock that is put back an hour", -3_600_000],
  ["T15 a laptop that slept for two hours", 7_200_000],
])("%s: polls and link are as without", async (_, jumpMs) => {
  const calm = new SimulatedExport();
  const expected = await calm.create();
  site.clock.after(20_000, () => (site.clock.wallMs += jumpMs));
  const state = await site.create();
  expect(site.clock.waits.filter((waitMs) => waitMs !== 20_000)).toEqual(calm.clock.waits);
  expect(state.outputs).toEqual(expected.outputs);
  expect(site.verdict(state)).toEqual(nothing);
  site.clock.advance(42 * 60_000);
  expect(site.verdict(state)).toMatchObject({ code: "RENEW_WINDOW" });
});

test("N22 a network that is lost for five minutes of the wait fails no job", async () => {
  const { service, clock, create, reporter } = site;
  service.durationMs = 10 * 60_000;
  service.fault = () => {
    const minutes = clock.monotonic() / 60_000;
    if (minutes < 2 || minutes >= 7) return undefined;
    return { error: minutes < 4 ? "ENETUNREACH" : "ETIMEDOUT" };
  };
  expect((await create()).outputs).toMatchObject({ status: "completed", jobId: "job-1", pageCount: 41 });
  expect(service.requests.filter((request) => request === "POST /jobs")).toHaveLength(1);
  expect(reporter.lines.progress).toContainEqual(
    expect.stringContaining("failed (ENETUNREACH); trying again in"),
  );
  expect(reporter.lines.warn).toEqual([]);
  expect(clock.monotonic()).toBeLessThan(11 * 60_000);
});

test("H13 a job that is unknown just after its start is waited for, ten seconds at most", async () => {
  site.service.lagMs = 9_000;
  expect((await site.create()).outputs.status).toBe("completed");
  const late = new SimulatedExport();
  late.service.lagMs = 30_000;
  expect((await caught(late.create())).message).toContain("answered 404");
  expect(late.clock.monotonic()).toBeGreaterThanOrEqual(10_000);
  expect(late.clock.monotonic()).toBeLessThan(20_000);
});

test("H14 a job that is gone later is a failure with nothing to continue", async () => {
  site.answer("status", () =>
    site.clock.monotonic() > 20_000 ? { status: 404, body: { error: "there is no such job" } } : undefined,
  );
  const error = await caught(site.create());
  expect(error.message).toContain("answered 404");
  expect(error).not.toBeInstanceOf(UnfinishedError);
});

test("H14 a job that is gone is removed by a refresh", async () => {
  const state = await site.create();
  site.service.jobs.clear();
  expect(await site.read(state)).toBeUndefined();
});
