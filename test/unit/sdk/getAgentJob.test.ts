// The read that a program does itself, seen through Pulumi's own mocks and a service that only answers by a script.
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getAgentJob, getAgentJobOutput } from "../../../sdk/getAgentJob.ts";
import { scriptedFetch, type ScriptedReply } from "../../simulation/scriptedFetch.ts";

const JOB = {
  id: "a1",
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "agent/typos" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00Z",
  archivedAt: null,
};
const KEY = "svc_c4n4ry";

const service = vi.hoisted((): { fetch: unknown } => ({ fetch: undefined }));
vi.mock("node-fetch", async (original) => ({
  ...(await original<object>()),
  default: (...given: unknown[]) => (service.fetch as (...given: unknown[]) => unknown)(...given),
}));

let answer: () => ScriptedReply;
let requests: ReturnType<typeof scriptedFetch>["requests"];
let lines: string[];

async function runProgram(preview = false): Promise<void> {
  const mocks = { newResource: () => ({ id: "", state: {} }), call: () => ({}) };
  await pulumi.runtime.setMocks(mocks, "project", "stack", preview);
  pulumi.runtime.setAllConfig({ "docs-hosting:baseUrl": "https://api.example.test" });
}

beforeEach(async () => {
  await runProgram();
  answer = () => ({ body: JOB });
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
  expect(await getAgentJob({ projectId: "p1", id: "a1" })).toEqual(JOB);
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET https://api.example.test/v2/agent/p1/job/a1",
  ]);
  expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
});

test("warns on the stack's row of a status that nobody knows", async () => {
  answer = () => ({ body: { ...JOB, status: "paused" } });
  expect(await getAgentJob({ projectId: "p1", id: "a1" })).toMatchObject({ status: "paused" });
  expect(lines).toContainEqual(expect.stringMatching(/^warn: .*unknown status "paused"/));
});

test("asks again, of a service that is busy, and tells only those who look for a cause", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  let busy = 1;
  answer = () => (busy-- > 0 ? { status: 503 } : { body: JOB });
  expect(await getAgentJob({ projectId: "p1", id: "a1" })).toEqual(JOB);
  expect(requests).toHaveLength(2);
  expect(lines).toEqual([expect.stringMatching(/^debug: .*trying again in 0s$/)]);
});

test("takes outputs, and asks when they are known", async () => {
  const output = getAgentJobOutput({ projectId: pulumi.output("p1"), id: pulumi.secret("a1") });
  const { promise, isSecret } = output as unknown as {
    promise: () => Promise<unknown>;
    isSecret: Promise<boolean>;
  };
  expect(await promise()).toEqual(JOB);
  expect(await isSecret).toBe(true);
});

test("is an error before any request for arguments that are wrong", async () => {
  await expect(getAgentJob({ projectId: "p1", id: "" })).rejects.toThrow(
    /the agent job cannot be looked up: id /,
  );
  expect(requests).toEqual([]);
});

test("is an error that names both ids where there is no such job, and shows no key", async () => {
  answer = () => ({ status: 404, body: { error: `no such job for ${KEY}` } });
  const error = await getAgentJob({ projectId: "p1", id: "a7" }).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/p1/);
  expect(String(error)).toMatch(/a7/);
  expect(String(error)).not.toContain("c4n4ry");
});

test("warns of a key that stands in plain text in the configuration", async () => {
  pulumi.runtime.setAllConfig({
    "docs-hosting:baseUrl": "https://api.example.test",
    "docs-hosting:adminApiKey": KEY,
  });
  await getAgentJob({ projectId: "p1", id: "a1" });
  expect(lines).toContainEqual(expect.stringMatching(/^warn: .*in plain text/));
});
