import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AgentJob,
  type AgentJobStatus,
  type NewAgentJob,
  type ReferenceService,
  startReferenceService,
} from "../../examples/reference-service/index.ts";

const KEY = "svc_test_key";
const NOON = Date.parse("2030-01-01T12:00:00Z");
const PR_LINK = "https://git.example.com/docs/site/pull/1";
const STATES = ["active", "completed", "archived", "failed"] as const;
const PATH = "/v2/agent/project/job";

let clockMs: number;
let service: ReferenceService;

beforeEach(async () => {
  clockMs = NOON;
  service = await startReferenceService({ sites: {}, adminApiKey: KEY, now: () => clockMs });
});

afterEach(() => service.close());

/** Sends the path unchanged: `fetch` would resolve its dots. */
async function call(path: string, method = "GET") {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}` };
    const { hostname, port } = new URL(service.url);
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, body: JSON.parse(text) as unknown }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

async function readJob(id = "agent-1"): Promise<AgentJob> {
  const { status, body } = await call(`${PATH}/${id}`);
  expect(status).toBe(200);
  return body as AgentJob;
}

async function expectNone(id = "agent-1"): Promise<void> {
  expect((await call(`${PATH}/${id}`)).status).toBe(404);
}

const create = (job: Partial<NewAgentJob> = {}): AgentJob =>
  service.agentJobs.create("project", { id: "agent-1", ...job });
const set = (job: Partial<AgentJob> = {}): AgentJob =>
  service.agentJobs.set("project", { id: "agent-1", ...job });
const move = (status: AgentJobStatus, options?: { prLink?: string | null }): AgentJob =>
  service.agentJobs.transition("project", "agent-1", status, options);

/** A job that reached a state by the transitions of the table, a second each. */
function createIn(status: AgentJobStatus): void {
  create();
  clockMs += 1000;
  if (status !== "active") move(status);
  clockMs += 1000;
}

describe("a transition of an agent job", () => {
  const possible: Readonly<Record<AgentJobStatus, readonly AgentJobStatus[]>> = {
    active: ["completed", "failed", "archived"],
    completed: ["archived"],
    failed: ["archived"],
    archived: [],
  };
  const pairs = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));

  test.each(pairs)(
    "from %s to %s happens as the table says, or is refused and changes nothing",
    async (from, to) => {
      createIn(from);
      const before = await readJob();
      expect(before.status).toBe(from);
      if (possible[from].includes(to)) {
        move(to);
        const archivedAt = to === "archived" ? "2030-01-01T12:00:02.000Z" : null;
        expect(await readJob()).toEqual({ ...before, status: to, archivedAt });
      } else {
        expect(() => move(to)).toThrow(`agent job agent-1 cannot go from ${from} to ${to}: `);
        clockMs += 1000;
        expect(await readJob()).toEqual(before);
      }
    },
  );

  test("of a missing job is refused", () => {
    expect(() => move("completed")).toThrow("there is no agent job agent-1 in project project");
  });
});

describe("the pull request of an agent job", () => {
  test("is null while the job is active, set when it completes with one, and kept in the archive", async () => {
    createIn("active");
    expect((await readJob()).prLink).toBeNull();
    move("completed", { prLink: PR_LINK });
    expect((await readJob()).prLink).toBe(PR_LINK);
    move("archived");
    expect(await readJob()).toMatchObject({ status: "archived", prLink: PR_LINK });
  });

  test.each([{}, { prLink: null }])("stays null when no file was changed: %j", async (options) => {
    createIn("active");
    move("completed", options);
    expect(await readJob()).toMatchObject({ status: "completed", prLink: null });
  });

  test.each(["failed", "archived"] as const)("is not set by the transition to %s", async (status) => {
    createIn("active");
    expect(() => move(status, { prLink: PR_LINK })).toThrow(
      `agent job agent-1 gets a prLink when it completes, not when it becomes ${status}`,
    );
    expect(await readJob()).toMatchObject({ status: "active", prLink: null });
  });

  test.each([
    "",
    "pull/1",
    "git.example.com/pull/1",
    "https://",
    "https://git.example.com:99999/pull/1",
    "https://git.example.com/pull 1",
    "https://git.example.com/é",
  ])("is refused when it is no URL: «%s»", async (prLink) => {
    const refusal = `prLink must be a URL, not ${prLink}`;
    createIn("active");
    expect(() => move("completed", { prLink })).toThrow(`agent job agent-1: ${refusal}`);
    expect(() => create({ id: "agent-2", endsAfterMs: 1000, prLink })).toThrow(
      `agent job agent-2: ${refusal}`,
    );
    expect(() => set({ id: "agent-3", status: "completed", prLink })).toThrow(
      `agent job agent-3: ${refusal}`,
    );
    expect(await readJob()).toMatchObject({ status: "active", prLink: null });
    await expectNone("agent-2");
    await expectNone("agent-3");
  });
});

describe("an agent job that ends by itself", () => {
  const play = (job: Partial<NewAgentJob> = {}): AgentJob => create({ endsAfterMs: 3000, ...job });

  test.each([
    [
      { outcome: "completed", prLink: PR_LINK },
      { status: "completed", prLink: PR_LINK },
    ],
    [{}, { status: "completed" }],
    [{ outcome: "failed" }, { status: "failed" }],
    [{ outcome: "archived" }, { status: "archived", archivedAt: "2030-01-01T12:00:03.000Z" }],
  ] as const)("is active until its time, then as %j says", async ({ ...job }, end) => {
    play(job);
    const active = await readJob();
    expect(active).toMatchObject({ status: "active", prLink: null, archivedAt: null });
    clockMs += 2999;
    expect(await readJob()).toEqual(active);
    clockMs += 1;
    const ended = { ...active, ...end };
    expect(await readJob()).toEqual(ended);
    clockMs += 60_000;
    expect(await readJob()).toEqual(ended);
    clockMs = NOON;
    expect(await readJob(), "with the clock set back").toEqual(ended);
  });

  test("keeps the end of an earlier transition", async () => {
    play({ prLink: PR_LINK });
    move("failed");
    clockMs += 3000;
    expect(await readJob()).toMatchObject({ status: "failed", prLink: null });
  });

  test("continues from the end that it had reached by then", async () => {
    play({ prLink: PR_LINK });
    clockMs += 3000;
    expect(() => move("failed")).toThrow("agent job agent-1 cannot go from completed to failed");
    move("archived");
    expect(await readJob()).toMatchObject({ status: "archived", prLink: PR_LINK });
  });
});

describe("an agent job that a test sets to a state", () => {
  test.each(STATES)("can be %s from the start", async (status) => {
    set({ status });
    const archivedAt = status === "archived" ? "2030-01-01T12:00:00.000Z" : null;
    expect(await readJob()).toMatchObject({ status, prLink: null, archivedAt });
  });

  test("replaces the existing one in any state, and keeps its createdAt", async () => {
    createIn("archived");
    const { createdAt } = await readJob();
    set();
    expect(await readJob()).toMatchObject({ status: "active", createdAt, archivedAt: null });
    expect(() => set({ createdAt: "2030-01-01T00:00:00Z" })).toThrow(
      `agent job agent-1 was created at ${createdAt}: that never changes`,
    );
  });

  const FILLED = "archivedAt is filled when the job is archived";
  test.each<[Partial<AgentJob>, string]>([
    [{ prLink: PR_LINK }, "prLink is null while the job is active"],
    [{ status: "archived", archivedAt: null }, FILLED],
    [{ status: "archived", archivedAt: "today" }, "archivedAt must be an ISO 8601 time, not today"],
    [{ status: "failed", archivedAt: "2030-01-01T12:00:00Z" }, FILLED],
    [{ createdAt: "yesterday" }, "createdAt must be an ISO 8601 time, not yesterday"],
  ])("is refused as %j", async (fields, message) => {
    expect(() => set(fields)).toThrow(message);
    await expectNone();
  });
});

/** That the endpoint needs a key: referenceService.test.ts. */
describe("the endpoint of agent jobs", () => {
  test.each([
    ["that was never created", `${PATH}/agent-2`, "agent-2", "project"],
    ["of another project", "/v2/agent/another/job/agent-1", "agent-1", "another"],
    ["whose id differs in case", `${PATH}/Agent-1`, "Agent-1", "project"],
  ])("answers 404 with an error for a job %s", async (_which, wrongPath, id, projectId) => {
    createIn("active");
    expect(await call(wrongPath)).toEqual({
      status: 404,
      body: { error: `there is no agent job ${id} in project ${projectId}` },
    });
  });

  test.each([
    "a/b",
    "a%2Fb",
    "a%252Fb",
    "a?b",
    "a#b",
    "a b",
    "..",
    "../agent-1",
    "%2e%2e",
    "agent-1/",
    "é",
    "a".repeat(1000),
  ])("finds the job of the id %.20s when the path has it encoded, and no other", async (id) => {
    const decoys = ["a", "b", "agent-1", "a/b", "a%2Fb", "a%252Fb", "a?b", ".."].filter((one) => one !== id);
    for (const one of decoys) create({ id: one });
    const encoded = `${PATH}/${encodeURIComponent(id)}`;
    expect(await call(encoded)).toEqual({
      status: 404,
      body: { error: `there is no agent job ${id} in project project` },
    });
    create({ id });
    expect(await call(encoded)).toMatchObject({ status: 200, body: { id } });
    service.agentJobs.create(id, { id: "of that project" });
    expect(await call(`/v2/agent/${encodeURIComponent(id)}/job/of%20that%20project`)).toMatchObject({
      status: 200,
    });
  });
});
