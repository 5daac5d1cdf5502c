// The read by a program itself, through Pulumi's own mocks and a service with scripted replies.
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getAgentJob, getAgentJobOutput } from "../../../sdk/getAgentJob.ts";
import { COMPLETED_JOB } from "../../simulation/agentJobReply.ts";
import { resolved, startProgram } from "../../simulation/pulumiProgram.ts";
import { scriptedFetch, type ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { KEY } from "../../simulation/testContext.ts";

const service = vi.hoisted((): { fetch: unknown } => ({ fetch: undefined }));
vi.mock("node-fetch", async (original) => ({
  ...(await original<object>()),
  default: (...given: unknown[]) => (service.fetch as (...given: unknown[]) => unknown)(...given),
}));

let answer: () => ScriptedReply;
let requests: ReturnType<typeof scriptedFetch>["requests"];
let lines: string[];

beforeEach(async () => {
  await startProgram();
  pulumi.runtime.setAllConfig({ "docs-hosting:baseUrl": "https://api.example.test" });
  answer = () => ({ body: COMPLETED_JOB });
  const scripted = scriptedFetch(() => answer());
  ({ requests } = scripted);
  service.fetch = scripted.fetch;
  vi.stubEnv("DOCS_HOSTING_ADMIN_API_KEY", KEY);
  vi.stubEnv("DOCS_HOSTING_BASE_URL", undefined);
  lines = [];
  for (const severity of ["debug", "info", "warn"] as const) {
    vi.spyOn(pulumi.log, severity).mockImplementation((line) => {
      lines.push(`${severity}: ${line}`);
      return Promise.resolve();
    });
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  pulumi.runtime.setAllConfig({});
});

test("reads the job once, with base URL and key of environment and stack configuration", async () => {
  expect(await getAgentJob({ projectId: "p1", id: "a1" })).toEqual(COMPLETED_JOB);
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET https://api.example.test/v2/agent/p1/job/a1",
  ]);
  expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
});

test("warns on the stack's row of an unknown status", async () => {
  answer = () => ({ body: { ...COMPLETED_JOB, status: "paused" } });
  expect(await getAgentJob({ projectId: "p1", id: "a1" })).toMatchObject({ status: "paused" });
  expect(lines).toContainEqual(expect.stringMatching(/^warn: .*unknown status "paused"/));
});

test("retries with a busy service, with messages only at debug level", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  let busy = 1;
  answer = () => (busy-- > 0 ? { status: 503 } : { body: COMPLETED_JOB });
  expect(await getAgentJob({ projectId: "p1", id: "a1" })).toEqual(COMPLETED_JOB);
  expect(requests).toHaveLength(2);
  expect(lines).toEqual([expect.stringMatching(/^debug: .*trying again in 0s$/)]);
});

test("accepts outputs, and sends the request when they are known", async () => {
  const output = getAgentJobOutput({ projectId: pulumi.output("p1"), id: pulumi.secret("a1") });
  expect(await resolved(output)).toEqual({ value: COMPLETED_JOB, secret: true });
});

test("is an error with both ids where there is no such job, and shows no key", async () => {
  answer = () => ({ status: 404, body: { error: `no such job for ${KEY}` } });
  const error = await getAgentJob({ projectId: "p1", id: "a7" }).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/p1/);
  expect(String(error)).toMatch(/a7/);
  expect(String(error)).not.toContain("c4n4ry");
});

test("warns of a key in plain text in the configuration", async () => {
  pulumi.runtime.setAllConfig({
    "docs-hosting:baseUrl": "https://api.example.test",
    "docs-hosting:adminApiKey": KEY,
  });
  await getAgentJob({ projectId: "p1", id: "a1" });
  expect(lines).toContainEqual(expect.stringMatching(/^warn: .*in plain text/));
});
