import { expect, test } from "vitest";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import {
  readExportJob,
  readStartReply,
  reportAmong,
  type StartReply,
} from "../../../provider/service/exportJob.ts";

const secrets = new Secrets();
secrets.add("svc_key");

const read = (body: Record<string, unknown>): ReturnType<typeof readExportJob> =>
  readExportJob("7", {
    endpoint: "GET https://api.example.com/v1/static-export/jobs/7",
    body,
    dateMs: 0,
    secrets,
  });

test("a job is read with all its fields, and unknown ones are ignored", () => {
  expect(read({ status: "running", progress: 42, pageCount: 18, jobId: "7", other: [] })).toEqual({
    status: "running",
    outcome: "pending",
    isUnexpected: false,
    progress: 42,
    report: { pageCount: 18 },
  });
});

test.each([
  ["completed", "success", false],
  ["failed", "failure", false],
  ["paused", "pending", true],
  ["ready", "pending", true],
  ["not_completed", "pending", true],
  ["to_be_cancelled", "pending", true],
  ["completing", "pending", true],
  ["incomplete", "pending", true],
  ["cancel_requested", "pending", true],
  ["waiting_on_completed", "pending", true],
  ["retrying_after_failed", "pending", true],
  ["cancel_failed", "pending", true],
  ["50% done", "pending", true],
  ["half_done", "pending", true],
  ["retrying: failed", "pending", true],
  ["constructor", "pending", true],
])("the status «%s» means %s; that it is unknown: %s", (status, outcome, isUnexpected) => {
  expect(read({ status })).toEqual({ status, outcome, isUnexpected, report: {} });
});

test.each([
  ...[
    "succeeded",
    "done",
    "JOB_STATUS_COMPLETED",
    "jobCompleted",
    "export-finished",
    "completed_successfully",
    "completed_with_warnings",
    "completed (3 warnings)",
    "Completed: 42 pages",
    "COMPLETED_V2",
    "100% completed",
    "finished_ok",
    "done.",
  ].map((status) => [status, "success"]),
  ...[
    "canceled",
    "cancelled",
    "aborted",
    "error",
    "expired",
    "timed_out",
    "timedOut",
    "TIMED OUT",
    "EXPORT_STATUS_FAILED",
    "deadline-exceeded",
    "JOB_STOPPED",
    "unsuccessful",
    "CANCELLED_BY_USER",
    "failed_permanently",
    "FAILED: disk full",
    "failed (disk full)",
    "errored_out",
    "OOMKilled",
    "out_of_memory",
    "TIME_OUT",
    "fail",
    "superseded",
  ].map((status) => [status, "failure"]),
])("the status «%s», whose last word means an end, means %s", (status, outcome) => {
  expect(read({ status })).toMatchObject({ outcome, isUnexpected: true });
});

test("what is taken out of a status, because it may be secret, is not an end", () => {
  const secret = "1C4A061D-8072-4F0A-A4CB-0FF528B18FE7";
  expect(read({ status: secret })).toMatchObject({ status: "[removed]", outcome: "pending" });
  expect(read({ status: `failed: ${secret}` })).toMatchObject({ outcome: "failure" });
});

test("an error beside the status of a completed job is kept, and of no other", () => {
  expect(read({ status: "completed", error: "3 pages are missing" }).error).toBe("3 pages are missing");
  expect(read({ status: "completed", error: { message: "no" } }).error).toBe("no");
  expect(read({ status: "completed", error: null, message: "ok" }).error).toBeUndefined();
  expect(read({ status: "running", error: "x" }).error).toBeUndefined();
});

test.each<[unknown, number | undefined]>([
  ["42", 42],
  ["42%", 42],
  [-5, 0],
  [150, 100],
  [0.5, 0.5],
  ...["4%2", "%42", "", "soon", null, NaN, Infinity, {}, true].map((none): [unknown, undefined] => [
    none,
    undefined,
  ]),
])("the progress %j is read as %j", (progress, expected) => {
  expect(read({ status: "running", progress }).progress).toBe(expected);
});

test("warnings of a completed job are shown, and of no other", () => {
  const warnings = ["a.md: gone"];
  expect(read({ status: "completed", warnings }).warnings).toBe("1 warning: (1) a.md: gone");
  for (const status of ["failed", "running", "paused"]) {
    expect(read({ status, warnings }).warnings).toBeUndefined();
  }
  expect(read({ status: "completed" }).warnings).toBeUndefined();
});

test.each(["error", "reason", "message"])("the reason of a failed job may be in «%s»", (field) => {
  expect(read({ status: "failed", [field]: "no pages" }).reason).toBe("no pages");
});

test.each([
  ...["active", "created", "in_progress", "in-progress", "packaging", "pending", "processing"],
  ...["queued", "rendering", "running", "started"],
])("«%s» clearly means «not yet»", (status) => {
  expect(read({ status })).toEqual({ status, outcome: "pending", isUnexpected: false, report: {} });
});

test("the reply to a start needs only an id", () => {
  const start = (body: Record<string, unknown>): StartReply =>
    readStartReply({ endpoint: "POST https://api.example.com/jobs", body, dateMs: 0, secrets });
  expect(start({ jobId: 7 })).toEqual({ jobId: "7" });
  expect(start({ jobId: "7", status: 3 })).toEqual({ jobId: "7" });
  expect(start({ jobId: "7", status: "Queued", progress: 3 })).toEqual({
    jobId: "7",
    job: {
      status: "queued",
      outcome: "pending",
      isUnexpected: false,
      isMisspelled: true,
      progress: 3,
      report: {},
    },
  });
});

test("the report of a state is as it was stored, without the other values", () => {
  expect(reportAmong({ pageCount: 0, jobId: "job-1" } as object)).toStrictEqual({ pageCount: 0 });
  expect(reportAmong({ pageCount: undefined })).toStrictEqual({});
});
