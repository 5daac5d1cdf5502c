import { afterEach, beforeEach, expect, test } from "vitest";
import { decisionLine } from "../../../provider/resource/decision.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { caught, nothing, SimulatedExport } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(async () => {
  site = new SimulatedExport();
  site.stackConfig["docs-hosting:baseUrl"] = site.service.baseUrl;
  await site.create(); // elsewhere
  site.requests();
});

afterEach(() => {
  site.expectNoSecretShown();
});

const imported = (id: string): ReturnType<typeof staticExport.import> =>
  site.clock.run(staticExport.import(site.context(), id));

const timesOf = ({ outputs: { expiresAt = "", renewAfter = "" } }: StaticExportState): object => ({
  expiresAt,
  renewAfter,
});

test("an export is imported by domain and job: one read, one link, and the next run has nothing to do", async () => {
  const { inputs, state } = await imported("docs.example.com/job-1");
  expect(site.requests()).toEqual(["GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
  expect(inputs).toEqual({ domain: "docs.example.com", jobId: "job-1" });
  expect(staticExport.idOf(state)).toBe("docs.example.com");
  const { outputs, bookkeeping } = await site.create({ jobId: "job-1" });
  const another = { bundleUrl: expect.any(String) as string, ...timesOf(state) };
  expect(state.outputs).toEqual({ ...outputs, ...another });
  expect(state.bookkeeping.given).toEqual(bookkeeping.given);
  expect(site.verdict(state, { jobId: "job-1" })).toEqual(nothing);
});

test.each([
  ["a version", { version: "v1" }],
  ["triggers", { triggers: ["a1"] }],
  ["a version and options of the start", { version: "v1", exportOptions: { paths: ["/"] } }],
])("a program with %s adopts the imported job without a request, once", async (_, given) => {
  const { state } = await imported("docs.example.com/job-1");
  site.requests();
  expect(site.verdict(state, given)).toMatchObject({ code: "ADOPTED" });
  const adopted = await site.update(state, given);
  expect(adopted.outputs).toMatchObject({ ...given, jobId: "job-1", bundleUrl: state.outputs.bundleUrl });
  expect(site.verdict(adopted, given)).toEqual(nothing);
  expect(site.requests()).toEqual([]);
  expect(site.verdict(adopted, { ...given, version: "v2" })).toMatchObject({ code: "NEW_CONTENT" });
});

test("a program with a version adopts the imported job also when the link is due: only the link is renewed", async () => {
  const { state } = await imported("docs.example.com/job-1");
  site.clock.advance(3_600_000);
  site.requests();
  const adopted = await site.update(state, { version: "v1" });
  expect(adopted.outputs).toMatchObject({ version: "v1", jobId: "job-1" });
  expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
  expect(site.verdict(adopted, { version: "v2" })).toMatchObject({ code: "NEW_CONTENT" });
});

test("a domain is written in any way that the input allows", async () => {
  const { inputs, state } = await imported("Docs.Example.com/job-1");
  expect(inputs.domain).toBe("docs.example.com");
  expect(site.verdict(state, { jobId: "job-1" })).toEqual(nothing);
});

test.each([
  [
    "docs.example.com/nope",
    "docs.example.com/nope: the service has no such job. Check the domain, the job and the account.",
  ],
  ["docs.example.com", "Write the id as DOMAIN/JOB, such as docs.example.com/7f3a"],
  ["docs.example.com/", "docs.example.com/: cannot be imported: jobId is not an id of a job"],
  ["not a domain/job-1", "not a domain/job-1: cannot be imported: domain contains white space"],
])("%s is refused with what is wrong, and no link is minted", async (id, message) => {
  expect((await caught(imported(id))).message).toContain(message);
  expect(site.requests().filter((request) => request.startsWith("POST"))).toEqual([]);
});

test.each([
  [
    { status: "failed", error: "no disk" },
    "the job failed: the service says: no disk. Nothing was imported. Import another job.",
  ],
  [{ status: "failed" }, "the job failed: and the service gave no reason"],
  [
    { status: "rendering" },
    "the job is not completed yet: rendering. Nothing was imported. Import it once it is.",
  ],
])("a job that is not completed is not imported: %j", async (body, message) => {
  site.answer("status", () => ({ body }));
  expect((await caught(imported("docs.example.com/job-1"))).message).toContain(message);
  expect(site.requests()).toEqual(["GET /jobs/job-1"]);
});

test("a job of another site is not imported", async () => {
  site.answer("status", () => ({ body: { status: "completed", domain: "other.example.com" } }));
  const { message } = await caught(imported("docs.example.com/job-1"));
  expect(message).toContain("job job-1 is an export of other.example.com, not of docs.example.com");
});

test("a link that cannot be minted imports nothing", async () => {
  site.answer("bundle", () => ({ status: 403 }));
  expect((await caught(imported("docs.example.com/job-1"))).message).toContain("Nothing was imported");
});

test("an export that something else manages is read by the same id, without a link", async () => {
  const { state } = await site.clock.run(staticExport.lookUp(site.context(), "docs.example.com/job-1", {}));
  expect(state.outputs).toMatchObject({ domain: "docs.example.com", jobId: "job-1", status: "completed" });
  expect(state.outputs).not.toHaveProperty("bundleUrl");
  expect(site.requests()).toEqual(["GET /jobs/job-1"]);
});

test("an export whose job is gone leaves the state with its job and its domain", async () => {
  const { state } = await imported("docs.example.com/job-1");
  expect(decisionLine(staticExport.gone(state))).toMatch(/^JOB_GONE: job job-1 of docs\.example\.com /);
});
