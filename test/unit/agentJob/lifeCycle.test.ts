import { inspect } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import type { CheckedAgentJobInputs } from "../../../provider/agentJob/inputs.ts";
import { agentJob, agentJobByStoredNames } from "../../../provider/agentJob/lifeCycle.ts";
import { lookUpAgentJob } from "../../../provider/agentJob/lookUp.ts";
import type { AgentJobState } from "../../../provider/agentJob/state.ts";
import { RunCancelledError } from "../../../provider/base/runtime/messages/errors.ts";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import type { Context } from "../../../provider/resource/context.ts";
import { decisionLine } from "../../../provider/resource/decision.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { COMPLETED_JOB } from "../../simulation/agentJobReply.ts";
import { RecordedSpans } from "../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { caught, unfinished } from "../../simulation/simulatedExport.ts";
import { KEY, testContext, URN } from "../../simulation/testContext.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const INPUTS: CheckedAgentJobInputs = {
  projectId: "p1",
  jobId: "a1",
  acceptFailed: false,
  baseUrl: "https://api.example.test",
  apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
};
const JOB = { ...COMPLETED_JOB, status: "active", prLink: null };
const NAME = "agent job a1 of project p1";

let clock: VirtualClock;
let reporter: ReturnType<typeof recordingReporter>;
/** The service's present answer. */
let answer: () => ScriptedReply;
let scripted: ReturnType<typeof scriptedFetch>;

beforeEach(() => {
  clock = new VirtualClock();
  reporter = recordingReporter();
  answer = () => ({ body: JOB });
  scripted = scriptedFetch(() => answer());
});

const context = (more: { signal?: AbortSignal } = {}): Context =>
  testContext({ fetch: scripted.fetch, clock, reporter, ...more });
/** Active until then, in milliseconds; then this. */
const endsAs = (changes: object, afterMs: number) => (): ScriptedReply => ({
  body: { ...JOB, ...(clock.monotonic() >= afterMs && changes) },
});
const create = (inputs = INPUTS, limitMs?: number): Promise<AgentJobState> =>
  clock.run(agentJob.create(context(), inputs, limitMs));
const update = (state: AgentJobState, inputs = INPUTS): Promise<AgentJobState> =>
  clock.run(agentJob.update(context(), state, inputs));
const MACHINE = { name: "build-agent", nowMs: 0 };
/** A diff, with the whole line of its decision. */
const verdict = (state: AgentJobState, changes: Partial<CheckedAgentJobInputs> = {}): unknown => {
  const { changed, replaces, hidden, decision } = agentJob.diff({ ...INPUTS, ...changes }, state, MACHINE);
  return { changed, replaces, hidden, decided: decisionLine(decision) };
};
const SAME = { changed: [], replaces: [], hidden: false };

describe("traces have spans", () => {
  const ABOUT = { "pulumi.urn": URN, "docs_hosting.project.id": "p1", "docs_hosting.job.id": "a1" };
  const traced = async (
    name: string,
    run: (context: Context) => Promise<unknown>,
  ): Promise<RecordedSpans> => {
    const recorded = new RecordedSpans(clock);
    const work = recorded.operation((tracer) => run({ ...context(), tracer }), { name });
    await clock.run(work).catch(() => undefined);
    return recorded;
  };

  test("of the wait and its polls, with job and code", async () => {
    const statuses = ["active", "completed"];
    answer = () => ({ body: { ...JOB, status: statuses.shift() } });
    const recorded = await traced("create", (given) => agentJob.create(given, INPUTS));
    expect(recorded.outline).toEqual([
      "docs_hosting.create",
      "  docs_hosting.agent_job.wait",
      ...["    docs_hosting.agent_job.look", "      GET"],
      ...["    docs_hosting.agent_job.look", "      GET"],
    ]);
    const about = { ...ABOUT, "docs_hosting.decision": "NEW" };
    expect(recorded.tree.attributes).toEqual(about);
    expect(recorded.named("docs_hosting.agent_job.wait").attributes).toEqual(about);
    expect(recorded.named("docs_hosting.agent_job.look").attributes).toEqual({
      ...about,
      "docs_hosting.job.status": "completed",
      "docs_hosting.job.outcome": "success",
    });
  });

  test("of a wait that continues, and of a refresh", async () => {
    const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    answer = endsAs({ status: "failed" }, 0);
    const updated = await traced("update", (given) => agentJob.update(given, state, INPUTS));
    expect(updated.tree.attributes).toEqual({
      ...ABOUT,
      "docs_hosting.decision": "RESUMED",
      "error.type": "AgentFailedError",
    });
    const read = await traced("read", (given) => agentJob.read(given, state));
    expect(read.outline).toEqual(["docs_hosting.read", "  GET"]);
    expect(read.tree.attributes).toEqual(ABOUT);
  });
});

describe("waiting", () => {
  test.each([
    ["completed", { status: "completed", prLink: "https://git.example.com/docs/site/pulls/4" }],
    ["completed, no file changed", { status: "completed" }],
    ["archived", { status: "archived", archivedAt: "2026-03-02T10:00:00Z" }],
  ])("ends when the job is %s", async (_, end) => {
    answer = endsAs(end, 30_000);
    const state = await create();
    expect(agentJob.idOf(state)).toBe("a1");
    expect(state.outputs).toEqual({ ...INPUTS, ...JOB, ...end, id: undefined });
    expect(verdict(state)).toEqual({
      ...SAME,
      decided: `UP_TO_DATE: ${NAME} is ${end.status}: no request is needed`,
    });
    expect(new Set(scripted.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set(["GET /v2/agent/p1/job/a1"]),
    );
    expect(reporter.lines.info).toEqual([`NEW: waiting for ${NAME}`]);
    expect(reporter.lines.progress).toContain("active");
  });

  test("names an unknown status once, and treats it as still running", async () => {
    const statuses = ["paused", "paused", "active", "paused", "completed"];
    answer = () => ({ body: { ...JOB, status: statuses.shift() } });
    await create();
    expect(reporter.lines.warn).toEqual([
      `${NAME} has the unknown status "paused"; it counts as still running`,
    ]);
  });

  test("polls again at the time that the service sets", async () => {
    let polls = 0;
    answer = () =>
      ++polls === 1
        ? { body: JOB, headers: { "retry-after": "90" } }
        : { body: { ...JOB, status: "completed" } };
    await create();
    expect(clock.waits).toContain(90_000);
    expect(polls).toBe(2);
  });

  test("ends at the deadline, and the next update continues", async () => {
    const { state, message } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    expect(message).toMatch(
      /^agent job a1 of project p1: waited for agent job a1 .* to be final.* time limit of 1m passed/,
    );
    expect(message).toContain("The next `pulumi up` continues to wait for it.");
    const decided = `RESUMED: ${NAME} was not final when an earlier run ended: the wait continues`;
    expect(verdict(state)).toEqual({ ...SAME, hidden: true, decided });
    answer = endsAs({ status: "completed" }, 0);
    expect((await update(state)).outputs.status).toBe("completed");
  });

  test("is stopped at once, with the fields read so far", async () => {
    const stop = new AbortController();
    answer = () => {
      clock.after(10, () => {
        stop.abort(new RunCancelledError("the run was cancelled", ""));
      });
      return { body: JOB };
    };
    const { state, message } = await unfinished<AgentJobState>(
      clock.run(agentJob.create(context({ signal: stop.signal }), INPUTS)),
    );
    expect(message).toContain("stopped: the run was cancelled");
    expect(state.outputs.status).toBe("active");
    expect(clock.pending).toBe(0);
  });

  test("keeps the fields of an earlier run when the service can't be reached", async () => {
    const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    answer = () => ({ status: 401, body: { error: `bad key ${KEY}` } });
    const second = await unfinished<AgentJobState>(update(state));
    expect(second.state).toEqual(state);
    expect(second.message).toContain("rejected the API key");
    expect(second.message).not.toContain(KEY);
  });

  test("records nothing of a job that was never read, or is gone", async () => {
    answer = () => ({ status: 404, body: { error: "unknown" } });
    const error = await caught(create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toMatch(
      /^agent job a1 of project p1: there is no such job \(GET http.*: unknown\)\. Check both ids/,
    );
    answer = () => ({ body: JOB });
    const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    answer = () => ({ status: 404, body: { error: "unknown" } });
    await expect(update(state)).rejects.not.toBeInstanceOf(UnfinishedError);
  });
});

describe("a failed job", () => {
  beforeEach(() => {
    answer = endsAs({ status: "failed" }, 0);
  });

  test("is an error that is repeated without a request", async () => {
    const { state, message } = await unfinished<AgentJobState>(create());
    expect(message).toBe(
      `${NAME} failed: the agent met an unrecoverable error. The job is final, so it is not read again. Start the agent again ` +
        "and give the id of the new job, or accept the failure with `acceptFailed: true`.",
    );
    expect(scripted.requests).toHaveLength(1);
    const decided = `JOB_FAILED: ${NAME} failed, and acceptFailed is not set: no request is sent`;
    expect(verdict(state)).toEqual({ ...SAME, hidden: true, decided });
    const changed = { ...SAME, changed: ["apiKeyEnv"], decided };
    expect(verdict(state, { apiKeyEnv: "SECOND_KEY" })).toEqual(changed);
    expect((await unfinished<AgentJobState>(update(state))).message).toBe(message);
    expect(scripted.requests).toHaveLength(1);
  });

  test("is a normal end where the input accepts it, before or after", async () => {
    const accepted = { ...INPUTS, acceptFailed: true };
    expect((await create(accepted)).outputs).toMatchObject({ status: "failed", acceptFailed: true });
    const { state } = await unfinished<AgentJobState>(create());
    const changed = { ...SAME, changed: ["acceptFailed"] };
    const decided = "SETTINGS: acceptFailed changed: recorded without a request";
    expect(verdict(state, accepted)).toEqual({ ...changed, decided });
    const asked = scripted.requests.length;
    const after = await update(state, accepted);
    expect(after.outputs).toMatchObject({ status: "failed", acceptFailed: true });
    expect(scripted.requests).toHaveLength(asked);
    // no longer accepted: an error again
    expect(verdict(after)).toMatchObject({
      ...changed,
      decided: expect.stringMatching(/^JOB_FAILED/) as string,
    });
  });
});

test("the preview of a job that is not final knows nothing of it; a final one keeps its outputs", async () => {
  const predicted = (state?: AgentJobState, more: Partial<CheckedAgentJobInputs> = {}): unknown =>
    agentJob.predict({ ...INPUTS, ...more }, state, MACHINE);
  const names = ["status", "source", "model", "prLink", "createdAt", "archivedAt"];
  const unknown = { ...INPUTS, ...Object.fromEntries(names.map((name) => [name, UNKNOWN])) };
  expect(predicted()).toEqual(unknown);
  const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
  expect(predicted(state)).toEqual(unknown);
  answer = endsAs({ status: "completed" }, 0);
  const final = await create();
  expect(predicted(final, { acceptFailed: true })).toEqual({ ...final.outputs, acceptFailed: true });
});

describe("a final job", () => {
  const final = async (): Promise<AgentJobState> => {
    answer = endsAs({ status: "completed" }, 0);
    return create();
  };

  test("is replaced by another id, project or service; other changes are recorded without a request", async () => {
    const state = await final();
    const other = { jobId: "a2", projectId: "p2", baseUrl: "https://other.example.test" };
    const replaces = ["projectId", "jobId", "baseUrl"];
    expect(verdict(state, other)).toEqual({
      changed: replaces,
      replaces,
      hidden: false,
      decided: "REPLACED: projectId and id and baseUrl changed: another agent job replaces this one",
    });
    const asked = scripted.requests.length;
    const change = { acceptFailed: true, apiKeyEnv: "PARTNER_API_KEY" };
    expect(verdict(state, change)).toEqual({
      ...SAME,
      changed: ["acceptFailed", "apiKeyEnv"],
      decided: "SETTINGS: acceptFailed and apiKeyEnv changed: recorded without a request",
    });
    const updated = await update(state, { ...INPUTS, ...change });
    expect(updated).toEqual({ ...state, outputs: { ...state.outputs, ...change } });
    expect(scripted.requests).toHaveLength(asked);
  });

  test("is requested once by a read, which notices when it was archived", async () => {
    const state = await final();
    const asked = scripted.requests.length;
    const archived = { status: "archived", archivedAt: "2026-03-02T10:00:00Z" };
    answer = endsAs(archived, 0);
    const seen = await clock.run(agentJob.read(context(), state));
    expect(seen).toEqual({
      inputs: INPUTS,
      state: { ...state, outputs: { ...state.outputs, ...archived } },
    });
    expect(scripted.requests).toHaveLength(asked + 1);
  });

  test("is gone for a read only when the service proves it", async () => {
    const state = await final();
    answer = () => ({ status: 404, body: { error: "unknown" } });
    expect(await clock.run(agentJob.read(context(), state))).toBeUndefined();
    answer = () => ({ status: 503 });
    await expect(clock.run(agentJob.read(context(), state))).rejects.toThrow("The state is unchanged.");
  });

  test("that no longer exists is reported with its code and both ids", async () => {
    expect(decisionLine(agentJob.gone(await final()))).toMatch(/^JOB_GONE: agent job a1 of project p1 /);
  });

  test("is left as it is when its resource is removed", async () => {
    const state = await final();
    const asked = scripted.requests.length;
    await agentJob.remove(context(), state);
    expect(scripted.requests).toHaveLength(asked);
  });
});

test("inputs are checked by the table, under the names that users know", () => {
  const { configuration } = context();
  const { inputs, failures } = agentJob.check({ ...INPUTS, jobId: ".." }, configuration);
  expect(inputs).toMatchObject({ projectId: "p1", acceptFailed: false });
  expect(failures.map(({ property }) => property)).toEqual(["id"]);
});

describe("a job that is not managed yet", () => {
  const configured = (): Context => ({
    ...context(),
    configuration: {
      environment: (name) =>
        ({ DOCS_HOSTING_ADMIN_API_KEY: KEY, DOCS_HOSTING_BASE_URL: INPUTS.baseUrl })[name],
      stackConfig: () => undefined,
    },
  });
  const imported = (id = "p1/a1"): ReturnType<typeof agentJob.import> =>
    clock.run(agentJob.import(configured(), id));

  test("is imported by project and id, and is final for the next run", async () => {
    answer = () => ({ body: COMPLETED_JOB });
    const { inputs, state } = await imported();
    expect(inputs).toEqual({ projectId: "p1", jobId: "a1" });
    expect(scripted.requests).toHaveLength(1);
    expect(verdict(state)).toMatchObject(SAME);
    expect(state.outputs).toMatchObject({ status: "completed", acceptFailed: false });
  });

  test("is accepted as it is when it failed, because the next run would refuse it otherwise", async () => {
    answer = () => ({ body: { ...JOB, status: "failed" } });
    const { inputs, state } = await imported();
    expect(inputs).toEqual({ projectId: "p1", jobId: "a1", acceptFailed: true });
    expect(verdict(state, { acceptFailed: true })).toMatchObject(SAME);
  });

  test("is read for a lookup in the same way", async () => {
    const { state } = await clock.run(agentJob.lookUp(configured(), "p1/a1", {}));
    expect(state.outputs).toMatchObject({ projectId: "p1", jobId: "a1", status: "active" });
  });

  test("has empty outputs for missing fields, with one warning that names them; a complete one has none", async () => {
    await imported();
    expect(reporter.lines.warn).toEqual([]);
    answer = () => ({ body: { ...JOB, model: undefined } });
    expect((await imported()).state.outputs.model).toBe("");
    expect(reporter.lines.warn).toEqual([`${NAME}: the service does not send model: empty in the outputs`]);
  });

  test("is named in the error when the service does not have it, with what to do", async () => {
    answer = () => ({ status: 404, body: { error: "unknown" } });
    const remedy = "Check the project, the job and the account.";
    await expect(imported("p1/nope")).rejects.toMatchObject({
      message: `p1/nope: the service has no such agent job. ${remedy}`,
      remedy,
      status: 404,
    });
  });

  test("is not found by an id without a project", async () => {
    await expect(imported("a1")).rejects.toThrow("write PROJECT/JOB, such as my-project/a1");
    await expect(imported("/a1")).rejects.toThrow("/a1: cannot be imported: projectId is not an identifier");
    await expect(imported("p1/")).rejects.toThrow("p1/: cannot be imported: jobId is not an identifier");
    expect(scripted.requests).toHaveLength(0);
  });

  test("keeps nothing of a failed read", async () => {
    answer = () => ({ status: 403, body: { error: "no" } });
    await expect(imported()).rejects.toThrow("Nothing was imported");
  });
});

test("inputs have their stored names for users whose schema reserves `id`", () => {
  const { failures } = agentJobByStoredNames.check({}, context().configuration);
  expect(failures.map(({ property }) => property)).toContain("jobId");
  const state = { outputs: { ...INPUTS, ...COMPLETED_JOB, id: undefined }, bookkeeping: {} } as AgentJobState;
  const other = { ...INPUTS, jobId: "a2" };
  expect(agentJobByStoredNames.diff(other, state, MACHINE).decision.text).toContain("jobId changed");
  expect(agentJob.diff(other, state, MACHINE).decision.text).toMatch(/^id changed/);
});

describe("a lookup", () => {
  const lookUp = (given: Record<string, unknown>): Promise<unknown> =>
    clock.run(lookUpAgentJob(context(), { baseUrl: INPUTS.baseUrl, ...given }));

  test("sends one request and waits for nothing", async () => {
    expect(await lookUp({ projectId: "p1", id: "a1" })).toEqual(JOB);
    expect(scripted.requests).toHaveLength(1);
  });

  test("names every argument that is wrong, before any request", async () => {
    await expect(lookUp({ id: "..", apiKeyEnv: "svc key", job: "a1" })).rejects.toThrow(
      /^the agent job cannot be looked up: job there is no such input.*; projectId is required.*; id is not an identifier.*; apiKeyEnv must be the name/,
    );
    expect(scripted.requests).toEqual([]);
  });

  test("shows no key that was given for an id by mistake", async () => {
    answer = () => ({ status: 404, body: { error: "unknown" } });
    const error = await caught(lookUp({ projectId: "p1", id: KEY }));
    expect(error.message).toMatch(/^agent job \[removed\] of project p1: there is no such job/);
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });

  test("is repeated when the service is busy, and gives up within a minute", async () => {
    let busy = 2;
    answer = () => (busy-- > 0 ? { status: 503 } : { body: JOB });
    expect(await lookUp({ projectId: "p1", id: "a1" })).toEqual(JOB);
    busy = Infinity;
    const from = clock.monotonic();
    await expect(lookUp({ projectId: "p1", id: "a1" })).rejects.toThrow(`${NAME}: `);
    expect(clock.monotonic() - from).toBeLessThanOrEqual(60_000);
  });
});
