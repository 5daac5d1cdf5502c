// The first export of a site: started, or adopted.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../../provider/base/runtime/messages/errors.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import type { ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { caught, nothing, SimulatedExport } from "../../simulation/simulatedExport.ts";

const START = "POST /jobs";
let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

describe("create", () => {
  test("starts one job, waits for it, and requests one link; then nothing changes", async () => {
    const state = await site.create();
    expect(site.requests()).toEqual([START, "GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(state.outputs).toEqual({
      ...site.inputs,
      version: "job-1",
      jobId: "job-1",
      status: "completed",
      pageCount: 41,
      bundleUrl: expect.stringContaining("https://store.example.test/job-1.tar.gz?X-Signature=") as string,
      expiresAt: new Date(site.clock.now() + 3_600_000).toISOString(),
      renewAfter: expect.stringMatching(/^2026-01-01T00:41:00/) as string,
    });
    expect(site.verdict(state)).toEqual(nothing);
  });

  test("shows status, percent, pages and time, and names the job", async () => {
    await site.create();
    expect(site.reporter.lines.info).toEqual([
      "NEW: this is the first export, so a job is started",
      "export job job-1 started",
      ...[3, 6, 9].map(
        (tens) => expect.stringMatching(`^${tens}\\d% · \\d+ pages (· ~\\d+s )?· running$`) as string,
      ),
    ]);
    expect(site.reporter.lines.progress[0]).toBe("starting the export");
    expect(site.reporter.lines.progress.at(-1)).toBe("packing the bundle");
    expect(site.reporter.lines.progress).toContainEqual(
      expect.stringMatching(/^5\d% · 1\d pages · ~\d\ds · running$/),
    );
  });

  test("adopts a given job, and starts none", async () => {
    const other = await site.create();
    site.requests();
    const { outputs } = await site.create({ jobId: other.outputs.jobId });
    expect(site.requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
    expect(outputs).toMatchObject({ jobId: "job-1", version: "job-1" });
  });

  describe("of a given job of another site", () => {
    const wrong =
      "job job-1 is an export of other.example.com, not of docs.example.com. " +
      "Give the jobId of an export of docs.example.com, or declare the domain other.example.com.";

    test.each(["running", "completed"])("ends with the first poll, also where it is %s", async (status) => {
      site.answer("status", () => ({ body: { status, domain: "Other.example.com" } }));
      const error = await caught(site.create({ jobId: "job-1" }));
      expect(error).not.toBeInstanceOf(UnfinishedError);
      expect(error).toBeInstanceOf(InputError);
      expect(error.message).toBe(`docs.example.com: ${wrong}`);
      expect(site.requests()).toEqual(["GET /jobs/job-1"]);
    });

    test("is noticed by the link, too; and an existing export stays as it is", async () => {
      const state = await site.create();
      await site.update(state, { version: "v2" });
      site.answer("bundle", () => ({
        body: { bundleUrl: "https://store.example.test/x", domain: "other.example.com" },
      }));
      const error = await caught(site.update(state, { jobId: "job-2" }));
      expect(error).not.toBeInstanceOf(UnfinishedError);
      expect(error.message).toContain("job job-2 is an export of other.example.com, not of docs.example.com");
      expect(error.message).toContain("The link to job job-1 stays in place.");
    });
  });

  test.each([
    [401, "rejected the API key", "No job was started."],
    [422, "Check that docs.example.com is a site of the organization", "No job was started."],
    [500, "answered 500", "No job is known to have been started."],
  ])("refused with %i names the site, the error and what is lost", async (status, trouble, lost) => {
    site.service.fault = () => ({ status, body: { error: "no" } });
    const error = await caught(site.create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toMatch(/^docs\.example\.com: /);
    expect(error.message).toContain(trouble);
    expect(error.message).toContain(lost);
  });

  test.each<[string, ScriptedReply, string]>([
    ["a connection that was refused", { error: "ECONNREFUSED" }, "No job was started."],
    ["a host that does not exist", { error: "ENOTFOUND" }, "No job was started."],
    ["a connection that broke", { error: "ECONNRESET" }, "No job is known to have been started."],
    ["a service that is busy", { status: 503 }, "No job was started."],
    ["a broken gateway", { status: 502 }, "No job is known to have been started."],
    [
      "a web page",
      { status: 404, text: "<html><title>Shop</title>" },
      'answered 404: a web page with the title "Shop". No job was started. A web page answered, not the API',
    ],
  ])("after %s says whether a job may run", async (_, reply, lost) => {
    site.service.fault = () => reply;
    expect((await caught(site.create({}, 60_000))).message).toContain(lost);
  });

  test("of a given job that does not exist fails at the first poll", async () => {
    const { message } = await caught(site.create({ jobId: "job-7" }));
    expect(message).toContain("no job job-7");
    expect(site.service.requests).toEqual(["GET /jobs/job-7"]);
  });

  test("of a given job that failed says how to use another: none is started in its place", async () => {
    site.service.outcome = "failed";
    const advice = "give the `jobId` of another job, or none, and run `pulumi up` again.";
    await caught(site.create());
    const silent = await caught(site.create({ jobId: "job-1" }));
    expect(silent.message).toContain(`about job job-1, or ${advice}`);
    site.service.reason = "page guide.md is broken";
    await caught(site.create());
    const second = await caught(site.create({ jobId: "job-2" }));
    expect(second.message).toContain(`Fix what the service names, then ${advice}`);
    expect(site.service.started).toBe(2);
  });
});

describe("a start whose answer is a job", () => {
  const startedAs = (job: object): void => {
    site.service.fault = ({ method, path }, _number, process) => {
      if (method !== "POST" || !path.endsWith("/jobs")) return undefined;
      process();
      return { status: 202, body: { jobId: "job-1", domain: "docs.example.com", ...job } };
    };
  };

  test("that is completed needs no poll", async () => {
    site.service.durationMs = 0;
    startedAs({ status: "completed", progress: 100, pageCount: 7 });
    expect((await site.create()).outputs).toMatchObject({
      jobId: "job-1",
      status: "completed",
      pageCount: 7,
    });
    expect(site.requests()).toEqual([START, "POST /jobs/job-1/bundle"]);
  });

  test("that is completed only by the answer is polled", async () => {
    startedAs({ status: "completed", pageCount: 7 });
    expect((await site.create()).outputs.pageCount).toBe(41);
  });

  test("of another site is polled, and the poll decides", async () => {
    startedAs({ status: "completed", domain: "other.example.com", pageCount: 7 });
    expect((await site.create()).outputs.pageCount).toBe(41);
  });

  test("that has failed is an error with its reason, and is not continued", async () => {
    startedAs({ status: "failed", error: "guide.md is broken" });
    const error = await caught(site.create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toContain("job job-1 failed: the service says: guide.md is broken.");
    expect(site.requests()).toEqual([START]);
    site.service.fault = () => undefined;
    expect((await site.create()).outputs.jobId).toBe("job-2");
  });

  test("that is queued is waited for", async () => {
    startedAs({ status: "queued", progress: 0 });
    expect((await site.create()).outputs).toMatchObject({ jobId: "job-1", pageCount: 41 });
  });
});
