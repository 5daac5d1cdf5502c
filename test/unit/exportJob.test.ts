import { describe, expect, test } from "vitest";
import { isFinal, isUnexpected, readExportJob } from "../../provider/exportJob.ts";

const read = (body: Record<string, unknown>): ReturnType<typeof readExportJob> =>
  readExportJob(
    "7",
    { endpoint: "GET https://api.example.com/v1/static-export/jobs/7", body, dateMs: 0 },
    "svc_key",
  );

test("a job is read with all it says, and unknown fields are ignored", () => {
  expect(read({ status: "running", progress: 42, pageCount: 18, jobId: "7", other: [] })).toEqual({
    status: "running",
    progress: 42,
    pageCount: 18,
  });
});

test("only completed and failed are final", () => {
  expect(["completed", "failed", "running", "paused", "done"].map((status) => isFinal({ status }))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a status that may mean anything deserves a warning, «running» does not", () => {
  expect(isUnexpected({ status: "paused" })).toBe(true);
  expect(isUnexpected({ status: "running" })).toBe(false);
  expect(isUnexpected({ status: "failed" })).toBe(false);
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
