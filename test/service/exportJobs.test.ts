import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { PATIENTLY } from "../simulation/patience.ts";
import { JOBS } from "./serviceCalls.ts";
import { JOB_DURATION_MS, NOON, serviceOfEachTest } from "./testedService.ts";

const { tested, call, start, startJob, jobStatus, completeJob, failedJob, listPages, exportJobs } =
  serviceOfEachTest();

describe("starting an export job", () => {
  test("returns all fields of a new job each time, as a read of it does", async () => {
    const { status, body } = await start();
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        jobId: expect.any(String) as string,
        domain: "docs.example.com",
        status: "queued",
        progress: 0,
        pageCount: 0,
        createdAt: "2030-01-01T12:00:00.000Z",
        updatedAt: "2030-01-01T12:00:00.000Z",
      },
    });
    expect(await startJob()).not.toBe(body["jobId"]);
  });

  test("accepts the domain in any letter case", async () => {
    const jobId = await startJob({ domain: "Docs.Example.COM" });
    expect((await jobStatus(jobId))["domain"]).toBe("docs.example.com");
  });

  const NO_HOST = "the field domain must be a host name, such as docs.example.com";
  const NO_LIST = 'the field paths must be a list of at least one page, such as ["guides/one"]';
  const NO_PAGE = "the field paths names a page that is not there: ";
  const domain = "docs.example.com";
  test.each([
    ["no domain", {}, "the field domain is missing"],
    ["no payload", undefined, "the field domain is missing"],
    ["JSON that is no object", "null", "the field domain is missing"],
    ["malformed JSON", '{"domain":', expect.any(String)],
    ["a domain that is no text", { domain: 7 }, NO_HOST],
    ["an address", { domain: "https://docs.example.com/" }, NO_HOST],
    [
      "a domain that is not hosted here",
      { domain: "other.example.com" },
      "there is no deployment for the domain other.example.com",
    ],
    ["pages that are a text", { domain, paths: "one" }, NO_LIST],
    ["pages that are an empty list", { domain, paths: [] }, NO_LIST],
    ["pages that are a list with a number", { domain, paths: ["one", 7] }, NO_LIST],
    ["pages that are null", { domain, exportOptions: { paths: null } }, NO_LIST],
    ["no object of options", { domain, exportOptions: ["one"] }, "the field exportOptions must be an object"],
    ["a page that is not there", { domain, paths: ["one", "four"] }, `${NO_PAGE}four`],
    ["a path out of the source", { domain, paths: ["../one"] }, `${NO_PAGE}../one`],
    ["a page named as every object is", { domain, paths: ["constructor"] }, `${NO_PAGE}constructor`],
    ["a very long path", { domain, paths: ["é".repeat(100_000)] }, NO_PAGE + "é".repeat(100)],
  ])("is refused with %s", async (_case, body, error: unknown) => {
    expect(await call("POST", JOBS, body)).toEqual({ status: 400, body: { error } });
  });

  test("is refused for a site that is not on the enterprise plan", async () => {
    expect(await start({ domain: "trial.example.com" })).toEqual({
      status: 403,
      body: { error: "static export requires the enterprise plan; trial.example.com is on the starter plan" },
    });
  });
});

describe("an export job", () => {
  test("advances in progress and page count over its duration, then completes", async () => {
    const jobId = await startJob();
    const full = { jobId, domain: "docs.example.com", createdAt: new Date(NOON).toISOString() };
    const updatedAt = expect.any(String) as string; // the work took some time of a clock that was set
    // the work itself takes real time; after it only the clock counts, which is set back here for a read at each moment
    tested.clockMs = NOON + JOB_DURATION_MS;
    await vi.waitFor(async () => expect((await jobStatus(jobId))["status"]).toBe("completed"), PATIENTLY);
    for (const [share, progress, pageCount] of [
      [0.5, 50, 2],
      [0.75, 75, 3],
      [0.9999, 99, 3],
    ] as const) {
      tested.clockMs = NOON + JOB_DURATION_MS * share;
      expect(await jobStatus(jobId)).toEqual({ ...full, status: "running", progress, pageCount, updatedAt });
    }
    tested.clockMs = NOON + JOB_DURATION_MS;
    expect(await jobStatus(jobId)).toEqual({
      ...full,
      status: "completed",
      progress: 100,
      pageCount: 4,
      warnings: [],
      updatedAt: new Date(NOON + JOB_DURATION_MS).toISOString(),
    });
  });

  test("is never completed before it is rendered, however far the clock is ahead", async () => {
    const jobId = await startJob();
    tested.clockMs += 365 * 86_400_000;
    const seen = new Set<unknown>();
    await vi.waitFor(async () => {
      const { status, progress } = await jobStatus(jobId);
      seen.add(status);
      if (status !== "completed") expect(progress).toBeLessThan(100);
      tested.clockMs += JOB_DURATION_MS;
      expect(status).toBe("completed");
    }, PATIENTLY);
    expect(["queued", "running"]).toEqual(expect.arrayContaining([...seen].slice(0, 1)));
  });

  test("waits in the queue while an earlier one is rendered", async () => {
    const { jobs, folder } = await exportJobs();
    const [first, second] = ["a.example.com", "b.example.com"].map(
      (domain) => jobs.start({ domain, source: tested.source }).jobId,
    ) as [string, string];
    await vi.waitFor(() => expect(jobs.status(first)?.status).toBe("running"), { ...PATIENTLY, interval: 0 });
    expect(jobs.status(second)).toMatchObject({ status: "queued", progress: 0, pageCount: 0 });
    await vi.waitFor(() => expect(jobs.status(second)?.status).toBe("completed"), PATIENTLY);
    await jobs.reset();
    expect(await readdir(folder)).toEqual([]);
  });

  test("that cannot read its source fails, with a reason", async () => {
    const job = await failedJob({ domain: "lost.example.com" });
    expect(job).toEqual({
      jobId: job["jobId"],
      domain: "lost.example.com",
      status: "failed",
      progress: 0,
      pageCount: 0,
      createdAt: new Date(NOON).toISOString(),
      updatedAt: new Date(NOON).toISOString(),
      error: "the export of lost.example.com failed: the source cannot be read (ENOENT)",
    });
    expect(await call("POST", `${JOBS}/${String(job["jobId"])}/bundle`)).toMatchObject({ status: 409 });
  });

  test("without a Markdown file fails, with a reason", async () => {
    for (const file of await readdir(tested.source)) await rm(join(tested.source, file));
    expect((await failedJob())["error"]).toBe(
      "the export of docs.example.com failed: there is no Markdown file in the source folder",
    );
  });

  test("that was never started is not found", async () => {
    const missing = { status: 404, body: { error: "there is no export job job-1" } };
    expect(await call("GET", `${JOBS}/job-1`)).toEqual(missing);
    expect(await call("POST", `${JOBS}/job-1/bundle`)).toEqual(missing);
  });
});

describe("the pages of an export", () => {
  test.each([
    ["beside the domain, and a start page", { paths: ["one", "/two.md", "three.html"] }, 4],
    ["in exportOptions", { exportOptions: { paths: ["/", "one", "/one"] }, theme: "dark" }, 2],
    ["not at all", { exportOptions: {} }, 4],
  ])("are those that the start names %s", async (_where, fields, pageCount) => {
    expect(await completeJob(fields)).toMatchObject({ pageCount, warnings: [] });
  });

  test("are all pages of the bundle, beside a start page; links to others are named", async () => {
    await writeFile(join(tested.source, "one.md"), "# One\n[start](index.md) [two](two.md) [gone](gone.md)");
    const { jobId, warnings } = await completeJob({ paths: ["one", "two"] });
    expect(warnings).toEqual([
      "one.md: index.md: not among the pages of this export",
      "one.md: gone.md: no such file in the source",
    ]);
    expect(await listPages(jobId)).toEqual(["404.html", "index.html", "one.html", "two.html"]);
  });
});
