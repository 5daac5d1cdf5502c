import { describe, expect, test } from "vitest";
import { readExportJob, readStartReply, type StartReply } from "../../../provider/service/exportJob.ts";

const read = (body: Record<string, unknown>): ReturnType<typeof readExportJob> =>
  readExportJob(
    "7",
    { endpoint: "GET https://api.example.com/v1/static-export/jobs/7", body, dateMs: 0 },
    "svc_key",
  );

test("a job is read with all it says, and unknown fields are ignored", () => {
  expect(read({ status: "running", progress: 42, pageCount: 18, jobId: "7", other: [] })).toEqual({
    status: "running",
    outcome: "pending",
    isUnexpected: false,
    progress: 42,
    pageCount: 18,
  });
});

test.each([
  ["completed", "success", false],
  ["failed", "failure", false],
  ["running", "pending", false],
  ["paused", "pending", true],
  ["done", "pending", true],
  ["cancelled", "pending", true],
  ["constructor", "pending", true],
])("the status «%s» means %s; that it is not known: %s", (status, outcome, isUnexpected) => {
  expect(read({ status })).toEqual({ status, outcome, isUnexpected });
});

describe("progress", () => {
  test.each([
    ["42", 42],
    ["42%", 42],
    [-5, 0],
    [150, 100],
    [0.5, 0.5],
  ])("%s is read as %d", (progress, expected) => {
    expect(read({ status: "running", progress }).progress).toBe(expected);
  });
  test.each([null, "", "soon", NaN, {}, true])("%s is as good as none", (progress) => {
    expect(read({ status: "running", progress })).not.toHaveProperty("progress");
  });
});

test.each(["error", "reason", "message"])("the reason of a failed job may stand in «%s»", (field) => {
  expect(read({ status: "failed", [field]: "no pages" }).reason).toBe("no pages");
});

test.each([
  ...["active", "created", "in_progress", "in-progress", "packaging", "pending", "processing"],
  ...["queued", "rendering", "started"],
])("«%s» plainly means «not yet»", (status) => {
  expect(read({ status })).toEqual({ status, outcome: "pending", isUnexpected: false });
});

test("a status is read in lower case without white space, and it is told that it was written otherwise", () => {
  const completed = { status: "completed", outcome: "success", isUnexpected: false };
  expect(read({ status: " Completed" })).toEqual({ ...completed, respelt: true });
  expect(read({ status: "completed" })).toEqual(completed);
});

test.each([undefined, null, "", " ", 1, {}])("the status %j is none", (status) => {
  expect(() => read({ status })).toThrow(
    expect.objectContaining({
      name: "MalformedResponseError",
      message: 'GET https://api.example.com/v1/static-export/jobs/7 answered without a "status"',
      remedy:
        "Check that the base URL is that of the service; if it is, report this to the service's support.",
    }),
  );
});

test("an id may be missing or a number; another one is an error", () => {
  for (const jobId of [undefined, null, "7", 7])
    expect(read({ status: "queued", jobId }).status).toBe("queued");
  for (const jobId of ["8", 8, "", {}]) {
    expect(() => read({ status: "queued", jobId })).toThrow("jobs/7 answered about another job");
  }
});

test("a count of pages is whole and not negative", () => {
  for (const [pageCount, expected] of [
    [0, 0],
    ["18", 18],
    [-1, undefined],
    [1.5, undefined],
    [2 ** 53, undefined],
    ["", undefined],
  ] as const) {
    expect(read({ status: "running", pageCount }).pageCount, String(pageCount)).toBe(expected);
  }
});

test("a percent sign counts only at the end", () => {
  expect(read({ status: "running", progress: "4%2" })).not.toHaveProperty("progress");
  expect(read({ status: "running", progress: "%42" })).not.toHaveProperty("progress");
  expect(read({ status: "running", progress: Infinity })).not.toHaveProperty("progress");
});

test("the first reason that is a text with something in it counts, without the key", () => {
  expect(read({ status: "failed", error: { code: 1 }, reason: " ", message: "bad svc_key!" })).toEqual({
    status: "failed",
    outcome: "failure",
    isUnexpected: false,
    reason: "bad [removed]!",
  });
  expect(read({ status: "failed", error: "first", reason: "second" }).reason).toBe("first");
  expect(read({ status: "failed", error: null })).not.toHaveProperty("reason");
});

test("what the service asks to wait is passed on", () => {
  const reply = { endpoint: "GET", body: { status: "queued" }, dateMs: 0, retryAfterMs: 0 };
  expect(readExportJob("7", reply, "svc_key")).toMatchObject({ status: "queued", retryAfterMs: 0 });
});

describe("the reply to a start", () => {
  const start = (body: Record<string, unknown>): StartReply =>
    readStartReply({ endpoint: "POST https://api.example.com/jobs", body, dateMs: 0 }, "xyz-key");

  test("needs no more than an id", () => {
    expect(start({ jobId: 7 })).toEqual({ jobId: "7" });
    expect(start({ jobId: "7", status: 3 })).toEqual({ jobId: "7" });
    expect(start({ jobId: "7", status: "Queued", progress: 3 })).toEqual({
      jobId: "7",
      job: { status: "queued", outcome: "pending", isUnexpected: false, respelt: true, progress: 3 },
    });
  });

  test.each([undefined, "", {}, "a b", "job-xyz-key"])("cannot have the id %j", (jobId) => {
    expect(() => start({ jobId, status: "queued" })).toThrow(
      expect.objectContaining({
        name: "MalformedResponseError",
        message: 'POST https://api.example.com/jobs answered without a usable "jobId"',
        remedy:
          "Check that the base URL is that of the service; if it is, report this to the service's support.",
      }),
    );
  });
});
