// The client's requests, and its errors for refusals, against a service with scripted replies.
import { beforeEach, describe, expect, test } from "vitest";
import {
  NotAllowedError,
  NotFoundError,
  ResponseError,
} from "../../../provider/base/runtime/messages/errors.ts";
import { openClient } from "../../../provider/resource/lifeCycle.ts";
import type { Client } from "../../../provider/service/client.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { KEY, testContext } from "../../simulation/testContext.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const BASE = "https://api.example.test";

let clock: VirtualClock;
let reporter: ReturnType<typeof recordingReporter>;
let reply: ScriptedReply;
let scripted: ReturnType<typeof scriptedFetch>;

beforeEach(() => {
  clock = new VirtualClock();
  reporter = recordingReporter();
  reply = {};
  scripted = scriptedFetch(() => reply);
});

function connected(
  environment: Record<string, string> = { DOCS_HOSTING_ADMIN_API_KEY: KEY },
  inputs: { apiKeyEnv?: string } = {},
): ReturnType<typeof openClient> {
  const configuration = { environment: (name: string) => environment[name], stackConfig: () => undefined };
  const context = testContext({ configuration, fetch: scripted.fetch, clock, reporter });
  return openClient(context, { baseUrl: BASE, ...inputs }, 60_000);
}
const ask = <T>(call: (client: Client) => Promise<T>): Promise<T> => clock.run(call(connected().client));
async function refusal(call: (client: Client) => Promise<unknown>): Promise<ResponseError> {
  const error = await ask(call).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ResponseError);
  return error as ResponseError;
}
const asked = (): string[] =>
  scripted.requests.map(({ method, url }) => `${method} ${url.replace(BASE, "")}`);

test("the time limit counts from the moment of connecting", () => {
  const { deadline } = connected();
  expect(deadline.limitMs).toBe(60_000);
  expect(deadline.remainingMs()).toBe(60_000);
});

test("white space around the key is reported, with the source of the key, and only then", () => {
  connected();
  expect(reporter.lines.warn).toEqual([]);
  connected({ SECOND_KEY: `${KEY}\n` }, { apiKeyEnv: "SECOND_KEY" });
  expect(reporter.lines.warn).toEqual([
    "the admin API key in SECOND_KEY has white space around it, such as a line break: the white space is not sent",
  ]);
});

describe("a start", () => {
  test("sends the request unchanged, with the idempotency key beside it", async () => {
    reply = { status: 202, body: { jobId: "7", status: "queued" } };
    const request = { locale: "de", domain: "docs.example.com" };
    expect(await ask((client) => client.startExport(request, "k1"))).toEqual({
      jobId: "7",
      job: { status: "queued", outcome: "pending", isUnexpected: false, report: {} },
    });
    expect(asked()).toEqual(["POST /v1/static-export/jobs"]);
    expect(scripted.requests[0]?.body).toEqual({ locale: "de", domain: "docs.example.com" });
    expect(scripted.requests[0]?.headers["idempotency-key"]).toBe('"k1"');
  });

  test("needs no more than a domain", async () => {
    reply = { status: 202, body: { jobId: "7" } };
    expect(await ask((client) => client.startExport({ domain: "docs.example.com" }))).toEqual({ jobId: "7" });
    expect(scripted.requests[0]?.body).toEqual({ domain: "docs.example.com" });
    expect(scripted.requests[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test.each([400, 404, 422])("refused with %i is perhaps for a missing site", async (status) => {
    reply = { status, body: { error: "no" } };
    const plain = await refusal((client) => client.startExport({ domain: "docs.example.com" }));
    expect(plain.constructor).toBe(ResponseError);
    expect(plain.status).toBe(status);
    expect(plain.message).toContain(`answered ${status}: no`);
    const remedy =
      "Check that docs.example.com is a site of the organization that the API key belongs to; then";
    expect(plain.remedy).toBe(`${remedy} the base URL.`);
    const own = await refusal((client) => client.startExport({ domain: "docs.example.com", paths: [] }));
    expect(own.remedy).toBe(`${remedy} the other fields of the start, and the base URL.`);
  });

  test.each([401, 501])("refused with %i has the same message as every call", async (status) => {
    reply = { status };
    const { remedy } = await refusal((client) => client.startExport({ domain: "docs.example.com" }));
    expect(remedy).toBe((await refusal((client) => client.getExport("7", "docs.example.com"))).remedy);
  });

  test("refused with 403 names the domain, another organization, and what the key may lack", async () => {
    reply = { status: 403 };
    const { remedy } = await refusal((client) => client.startExport({ domain: "docs.example.com" }));
    expect(remedy).toContain("docs.example.com is the wrong domain, or a site of another organization");
    expect(remedy).toContain("enterprise plan");
    const poll = await refusal((client) => client.getExport("7", "docs.example.com"));
    expect(poll.remedy).toContain("One of three things: the organization's plan");
  });

  test("is known also when the key is gone by the time of the reply", async () => {
    const environment: Record<string, string> = { DOCS_HOSTING_ADMIN_API_KEY: KEY };
    const { client } = connected(environment);
    reply = { status: 202, body: { jobId: "7" } };
    const started = client.startExport({ domain: "docs.example.com" });
    delete environment["DOCS_HOSTING_ADMIN_API_KEY"];
    expect(await clock.run(started)).toEqual({ jobId: "7" });
  });
});

test("the status and the link of an export are requested by its id", async () => {
  reply = { body: { status: "running", error: `not ${KEY}` } };
  expect(await ask((client) => client.getExport("a/b", "docs.example.com"))).toEqual({
    status: "running",
    outcome: "pending",
    isUnexpected: false,
    report: {},
    reason: "not [removed]",
  });
  reply = { body: { bundleUrl: "https://store.example.test/a", sizeBytes: 3 } };
  expect(await ask((client) => client.createBundle("a/b", "docs.example.com"))).toMatchObject({
    url: "https://store.example.test/a",
    sizeBytes: 3,
  });
  expect(asked()).toEqual(["GET /v1/static-export/jobs/a%2Fb", "POST /v1/static-export/jobs/a%2Fb/bundle"]);
});

test("how far the clock is ahead is known after the first reply with a date", async () => {
  reply = { body: { status: "running" }, headers: { date: new Date(clock.now() - 90_000).toUTCString() } };
  const { client } = connected();
  expect(client.clockAheadMs).toBeUndefined();
  await clock.run(client.getExport("7", "docs.example.com"));
  expect(Math.abs((client.clockAheadMs ?? 0) - 90_000)).toBeLessThanOrEqual(1_000);
});

describe("a read of an agent job", () => {
  const key = { projectId: "p/1", jobId: "a?1" };
  const poll = (client: Client): Promise<unknown> => client.getAgentJob(key);

  test("has the job, its missing fields, and the pause that the service asks for", async () => {
    reply = { body: { id: "a?1", status: "active", source: {}, model: "m", createdAt: null } };
    expect(await ask(poll)).toEqual({
      job: {
        id: "a?1",
        status: "active",
        source: { repository: "", ref: null },
        model: "m",
        prLink: null,
        createdAt: "",
        archivedAt: null,
      },
      missing: ["source.repository", "createdAt"],
    });
    reply = { ...reply, headers: { "retry-after": "7" } };
    expect(await ask(poll)).toMatchObject({ retryAfterMs: 7_000 });
    expect(new Set(asked())).toEqual(new Set(["GET /v2/agent/p%2F1/job/a%3F1"]));
  });

  test("of a missing job is an error with both ids to check", async () => {
    reply = { status: 404, body: { error: "unknown" } };
    const error = await refusal(poll);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toMatch(/^there is no such job \(GET https:.*answered 404: unknown\)$/);
    expect(error.remedy).toBe(
      "Check both ids, and that the API key is of the organization that the project belongs to: the dashboard's API keys page shows both.",
    );
    expect(error.status).toBe(404);
  });

  test("without permission is an error that does not name a plan", async () => {
    reply = { status: 403, body: { error: "not yours" } };
    const error = await refusal(poll);
    expect(error).toBeInstanceOf(NotAllowedError);
    expect(error.message).toContain("answered 403: not yours)");
    expect(error.remedy).toBe("Check what the API key may do.");
    expect(error.status).toBe(403);
  });

  test("is otherwise refused as any call is", async () => {
    reply = { status: 401 };
    expect((await refusal(poll)).remedy).toBe(
      (await refusal((client) => client.getExport("7", "docs.example.com"))).remedy,
    );
  });
});
