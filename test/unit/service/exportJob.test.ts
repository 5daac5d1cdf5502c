import { expect, test } from "vitest";
import {
  readExportJob,
  readStartReply,
  reportAmong,
  type StartReply,
} from "../../../provider/service/exportJob.ts";
import { Secrets } from "../../../provider/runtime/messages/secrets.ts";

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
  ["done", "pending", true],
  ["cancelled", "pending", true],
  ["constructor", "pending", true],
])("the status «%s» means %s; that it is unknown: %s", (status, outcome, isUnexpected) => {
  expect(read({ status })).toEqual({ status, outcome, isUnexpected, report: {} });
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
  expect(read({ status: "completed", warnings }).warnings).toEqual({ count: 1, first: warnings });
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

test("without a status it is an error that says what to do", () => {
  expect(() => read({})).toThrow(
    expect.objectContaining({
      name: "MalformedResponseError",
      message: 'GET https://api.example.com/v1/static-export/jobs/7 answered without a "status"',
      remedy:
        "Check that the base URL is that of the service; if it is, report this to the service's support.",
    }),
  );
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
    expect(read({ status: "running", pageCount }).report.pageCount, String(pageCount)).toBe(expected);
  }
});

test("the first reason that is a text and not empty counts, without the key", () => {
  expect(read({ status: "failed", error: { code: 1 }, reason: " ", message: "bad svc_key!" })).toEqual({
    status: "failed",
    outcome: "failure",
    isUnexpected: false,
    report: {},
    reason: "bad [removed]!",
  });
  expect(read({ status: "failed", error: "first", reason: "second" }).reason).toBe("first");
  expect(read({ status: "failed", error: null }).reason).toBeUndefined();
});

test("the pause that the service asks for is passed on", () => {
  const reply = { endpoint: "GET", body: { status: "queued" }, dateMs: 0, retryAfterMs: 0, secrets };
  expect(readExportJob("7", reply)).toMatchObject({ status: "queued", retryAfterMs: 0 });
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
