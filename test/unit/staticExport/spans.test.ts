// The spans of an export in a trace: names, attributes, and never a secret.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { intentOf } from "../../../provider/staticExport/inputs.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { RecordedSpans } from "../../simulation/recordedSpans.ts";
import { formsOf } from "../../simulation/secretForms.ts";
import { caught, SimulatedExport } from "../../simulation/simulatedExport.ts";
import { URN } from "../../simulation/testContext.ts";

const JOBS = "https://api.example.test/v1/static-export/jobs";

let site: SimulatedExport;
let recorded: RecordedSpans;

beforeEach(() => {
  site = new SimulatedExport();
  recorded = new RecordedSpans(site.clock);
});

afterEach(() => {
  const text = JSON.stringify(recorded.tree);
  for (const form of [site.key, "c4n4ry", "X-Signature"].flatMap(formsOf)) expect(text).not.toContain(form);
  expect(text).not.toMatch(/[?&]\w+=/);
});

const create = (limitMs?: number): Promise<StaticExportState> =>
  site.clock.run(
    recorded.operation((tracer) => staticExport.create({ ...site.context(), tracer }, site.inputs, limitMs)),
  );
const update = (state: StaticExportState): Promise<StaticExportState> =>
  site.clock.run(
    recorded.operation((tracer) => staticExport.update({ ...site.context(), tracer }, state, site.inputs), {
      name: "update",
    }),
  );

test("an export has spans of its start, its polls and its link, with URN, domain, code and job", async () => {
  site.service.durationMs = 3_000;
  const { outputs } = await create();
  const polls = recorded.named("docs_hosting.export.wait").within.length;
  expect(polls).toBeGreaterThan(1);
  expect(recorded.outline).toEqual([
    "docs_hosting.create",
    "  docs_hosting.export.start",
    "    POST",
    "  docs_hosting.export.wait",
    ...Array.from({ length: polls }, () => ["    docs_hosting.export.look", "      GET"]).flat(),
    "  docs_hosting.link.mint",
    "    POST",
  ]);
  const site_ = {
    "pulumi.urn": URN,
    "docs_hosting.domain": "docs.example.com",
    "docs_hosting.decision": "NEW",
  };
  const job = { ...site_, "docs_hosting.job.id": "job-1" };
  const request = {
    "server.address": "api.example.test",
    "server.port": 443,
    "http.response.status_code": 200,
  };
  const { tree } = recorded;
  expect(tree.attributes).toEqual(job);
  expect(tree.within.map(({ attributes }) => attributes)).toEqual([
    job,
    job,
    { ...job, "docs_hosting.link.expires_at": outputs.expiresAt },
  ]);
  expect(recorded.named("docs_hosting.export.start").within[0]?.attributes).toEqual({
    ...site_,
    ...request,
    "http.request.method": "POST",
    "http.response.status_code": 202,
    "url.full": JOBS,
  });
  const [first, ...later] = recorded.named("docs_hosting.export.wait").within;
  expect(first?.attributes).toEqual({
    ...job,
    "docs_hosting.job.status": "running",
    "docs_hosting.job.outcome": "pending",
    "docs_hosting.job.progress": 0,
    "docs_hosting.job.pages": 0,
  });
  expect(later.at(-1)?.attributes).toMatchObject({
    "docs_hosting.job.status": "completed",
    "docs_hosting.job.outcome": "success",
    "docs_hosting.job.pages": 41,
  });
  expect(first?.within[0]?.attributes).toEqual({
    ...job,
    ...request,
    "http.request.method": "GET",
    "url.full": `${JOBS}/job-1`,
  });
});

test("a renewal has one span, with its code", async () => {
  const state = await site.create();
  site.clock.advance(50 * 60_000);
  const { outputs } = await update(state);
  expect(recorded.outline).toEqual([
    "docs_hosting.update",
    "  docs_hosting.link.renew",
    "    docs_hosting.link.mint",
    "      POST",
  ]);
  const job = {
    "pulumi.urn": URN,
    "docs_hosting.domain": "docs.example.com",
    "docs_hosting.decision": "RENEW_WINDOW",
    "docs_hosting.job.id": "job-1",
  };
  expect(recorded.named("docs_hosting.link.renew").attributes).toEqual(job);
  expect(recorded.named("docs_hosting.link.mint").attributes).toEqual({
    ...job,
    "docs_hosting.link.expires_at": outputs.expiresAt,
  });
});

test("where the job is gone, the code is that of the new one, and no span of its start has the old one", async () => {
  const state = await site.create();
  site.service.jobs.delete("job-1");
  site.clock.advance(50 * 60_000);
  await update(state);
  expect(recorded.tree.attributes).toMatchObject({
    "docs_hosting.decision": "JOB_GONE",
    "docs_hosting.job.id": "job-2",
  });
  expect(recorded.named("docs_hosting.link.renew").attributes).toMatchObject({
    "docs_hosting.decision": "RENEW_WINDOW",
    "docs_hosting.job.id": "job-1",
    "error.type": "NotFoundError",
  });
  const start = recorded.named("docs_hosting.export.start");
  expect(start.attributes).toMatchObject({ "docs_hosting.job.id": "job-2" });
  expect(start.within[0]?.attributes).not.toHaveProperty("docs_hosting.job.id");
});

test("the job of a killed run continues with its own code", async () => {
  const { domain, baseUrl } = site.inputs;
  site.service.jobs.set("job-7", { domain, startedAtMs: site.clock.monotonic(), outcome: "completed" });
  site.records.save({ urn: URN, domain, baseUrl }, intentOf(site.inputs), { jobId: "job-7" });
  await create();
  expect(recorded.tree.attributes).toMatchObject({
    "docs_hosting.decision": "RESUMED",
    "docs_hosting.job.id": "job-7",
  });
  expect(recorded.outline).not.toContain("  docs_hosting.export.start");
});

test("an operation without requests has its code alone", async () => {
  const state = await site.create();
  await update(state);
  expect(recorded.tree).toEqual({
    name: "docs_hosting.update",
    attributes: {
      "pulumi.urn": URN,
      "docs_hosting.domain": "docs.example.com",
      "docs_hosting.decision": "UP_TO_DATE",
    },
    within: [],
  });
});

describe("a failure", () => {
  test("of a job has class and message, at the operation", async () => {
    site.service.outcome = "failed";
    site.service.reason = `no pages; see https://ci.example/run?token=c4n4ry and ${site.key}`;
    const { message } = await caught(create());
    expect(recorded.tree).toMatchObject({
      attributes: { "error.type": "ExportFailedError", "docs_hosting.job.id": "job-1" },
      error: message,
    });
    expect(message).toContain("no pages");
    const wait = recorded.named("docs_hosting.export.wait");
    expect(wait.within.at(-1)?.attributes).toMatchObject({ "docs_hosting.job.outcome": "failure" });
  });

  test("of the time limit is also at the wait; a recorded state makes no difference", async () => {
    await caught(create(30_000));
    expect(recorded.tree.attributes).toMatchObject({ "error.type": "DeadlineExceededError" });
    expect(recorded.named("docs_hosting.export.wait")).toMatchObject({
      attributes: { "error.type": "DeadlineExceededError" },
      error: expect.stringContaining("the time limit of 30s passed") as string,
    });
  });

  test("of an attempt is at its request, by status or class, and each one counts", async () => {
    const answers = [{ status: 503 }, { error: "ECONNREFUSED" }] as const;
    site.service.fault = ({ path }, number) => (path.endsWith("/jobs") ? answers[number - 1] : undefined);
    await create();
    const requests = recorded
      .named("docs_hosting.export.start")
      .within.map(({ attributes, error }) => [
        attributes["http.request.resend_count"],
        attributes["http.response.status_code"],
        attributes["error.type"],
        error,
      ]);
    expect(requests).toEqual([
      [undefined, 503, "503", ""],
      [1, undefined, "ConnectionError", ""],
      [2, 202, undefined, undefined],
    ]);
    expect(recorded.tree).not.toHaveProperty("error");
  });
});
