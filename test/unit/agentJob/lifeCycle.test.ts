import { beforeEach, describe, expect, test } from "vitest";
import { agentJob } from "../../../provider/agentJob/lifeCycle.ts";
import { lookUpAgentJob } from "../../../provider/agentJob/lookUp.ts";
import type { CheckedAgentJobInputs } from "../../../provider/agentJob/inputs.ts";
import type { AgentJobState } from "../../../provider/agentJob/state.ts";
import type { Context } from "../../../provider/resource/context.ts";
import { CancelledError } from "../../../provider/words/errors.ts";
import { UnfinishedError } from "../../../provider/resource/unfinishedError.ts";
import { MemoryRecords } from "../../simulation/memoryRecords.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const KEY = "svc_c4n4ry";
const INPUTS: CheckedAgentJobInputs = {
  projectId: "p1",
  jobId: "a1",
  acceptFailed: false,
  baseUrl: "https://api.example.test",
  apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
};
const JOB = {
  id: "a1",
  status: "active",
  source: { repository: "https://git.example.com/docs/site", ref: null },
  model: "model-7",
  prLink: null,
  createdAt: "2026-03-01T10:00:00Z",
  archivedAt: null,
};

let clock: VirtualClock;
let reporter: ReturnType<typeof recordingReporter>;
/** What the service answers at the moment. */
let answer: () => ScriptedReply;
let scripted: ReturnType<typeof scriptedFetch>;

beforeEach(() => {
  clock = new VirtualClock();
  reporter = recordingReporter();
  answer = () => ({ body: JOB });
  scripted = scriptedFetch(() => answer());
});

const context = (signal = new AbortController().signal): Context => ({
  configuration: { environment: () => KEY, stackConfig: () => undefined },
  fetch: scripted.fetch,
  clock,
  reporter,
  resumeRecords: new MemoryRecords(),
  machine: "build-agent",
  inFlight: () => 1,
  signal,
});
/** Active until then, in milliseconds; then this. */
const endsAs = (changes: object, afterMs: number) => (): ScriptedReply => ({
  body: { ...JOB, ...(clock.monotonic() >= afterMs && changes) },
});
const create = (inputs = INPUTS, limitMs?: number, signal?: AbortSignal): Promise<AgentJobState> =>
  clock.run(agentJob.create(context(signal), inputs, limitMs));
const update = (state: AgentJobState, inputs = INPUTS): Promise<AgentJobState> =>
  clock.run(agentJob.update(context(), state, inputs));
async function unfinished(work: Promise<unknown>): Promise<UnfinishedError<AgentJobState>> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof UnfinishedError) return error as UnfinishedError<AgentJobState>;
  throw new Error(`nothing to go on from: ${String(error)}`);
}
const MACHINE = { name: "build-agent", nowMs: 0 };
const verdict = (state: AgentJobState, changes: Partial<CheckedAgentJobInputs> = {}): unknown => {
  const { changed, replaces, hidden, decision } = agentJob.diff({ ...INPUTS, ...changes }, state, MACHINE);
  return { changed, replaces, hidden, because: decision.because };
};
const SETTLED = { changed: [], replaces: [], hidden: false, because: "UP_TO_DATE" };

describe("waiting", () => {
  test.each([
    ["completed", { status: "completed", prLink: "https://git.example.com/docs/site/pulls/4" }],
    ["completed, no file changed", { status: "completed" }],
    ["archived", { status: "archived", archivedAt: "2026-03-02T10:00:00Z" }],
  ])("ends when the job is %s", async (_, end) => {
    answer = endsAs(end, 30_000);
    const state = await create();
    expect(state.outputs).toEqual({ ...INPUTS, ...JOB, ...end, id: undefined });
    expect(verdict(state)).toEqual(SETTLED);
    expect(new Set(scripted.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set(["GET /v2/agent/p1/job/a1"]),
    );
    expect(reporter.lines.progress).toContain("active");
  });

  test("names a status that is not known once, and takes it for still running", async () => {
    const statuses = ["paused", "paused", "active", "paused", "completed"];
    answer = () => ({ body: { ...JOB, status: statuses.shift() } });
    await create();
    expect(reporter.lines.warn).toEqual([
      'agent job a1 of project p1 has the unknown status "paused"; taken for still running',
    ]);
  });

  test("names fields that are missing once, and leaves them empty", async () => {
    const statuses = ["active", "active", "completed"];
    answer = () => ({ body: { id: "a1", status: statuses.shift() } });
    const { outputs } = await create();
    expect(outputs).toMatchObject({ source: { repository: "", ref: null }, model: "", createdAt: "" });
    expect(scripted.requests).toHaveLength(3);
    expect(reporter.lines.warn).toEqual([
      "agent job a1 of project p1: the service does not tell source, model, createdAt: empty in the outputs",
    ]);
  });

  test("looks again when the service asks it to", async () => {
    let looks = 0;
    answer = () =>
      ++looks === 1
        ? { body: JOB, headers: { "retry-after": "90" } }
        : { body: { ...JOB, status: "completed" } };
    await create();
    expect(clock.waits).toContain(90_000);
    expect(looks).toBe(2);
  });

  test("ends at the deadline, and the next update goes on", async () => {
    const { state, message } = await unfinished(create(INPUTS, 60_000));
    expect(message).toMatch(/^agent job a1 of project p1: waited for .* time limit of 1m passed/);
    expect(message).toContain("The next `pulumi up` goes on waiting for it.");
    expect(verdict(state)).toEqual({ changed: [], replaces: [], hidden: true, because: "RESUMED" });
    answer = endsAs({ status: "completed" }, 0);
    expect((await update(state)).outputs.status).toBe("completed");
  });

  test("is stopped at once, with what was seen", async () => {
    const stop = new AbortController();
    answer = () => {
      clock.after(10, () => {
        stop.abort(new CancelledError("the run was cancelled", ""));
      });
      return { body: JOB };
    };
    const { state, message } = await unfinished(create(INPUTS, undefined, stop.signal));
    expect(message).toContain("stopped: the run was cancelled");
    expect(state.outputs.status).toBe("active");
    expect(clock.pending).toBe(0);
  });

  test("keeps what an earlier run saw when the service can't be asked", async () => {
    const { state } = await unfinished(create(INPUTS, 60_000));
    answer = () => ({ status: 401, body: { error: `bad key ${KEY}` } });
    const second = await unfinished(update(state));
    expect(second.state).toEqual(state);
    expect(second.message).toContain("rejected the API key");
    expect(second.message).not.toContain(KEY);
  });

  test("remembers nothing of a job that was never seen, or is gone", async () => {
    answer = () => ({ status: 404, body: { error: "unknown" } });
    await expect(create()).rejects.toThrow("agent job a1 of project p1: there is no such job (GET http");
    await expect(create()).rejects.not.toBeInstanceOf(UnfinishedError);
    answer = () => ({ body: JOB });
    const { state } = await unfinished(create(INPUTS, 60_000));
    answer = () => ({ status: 404, body: { error: "unknown" } });
    await expect(update(state)).rejects.not.toBeInstanceOf(UnfinishedError);
  });
});

describe("a failed job", () => {
  beforeEach(() => {
    answer = endsAs({ status: "failed" }, 0);
  });

  test("is an error that is repeated without a request", async () => {
    const { state, message } = await unfinished(create());
    expect(message).toContain("agent job a1 of project p1 failed");
    expect(scripted.requests).toHaveLength(1);
    expect(verdict(state)).toEqual({ changed: [], replaces: [], hidden: true, because: "JOB_FAILED" });
    expect((await unfinished(update(state))).message).toBe(message);
    expect(scripted.requests).toHaveLength(1);
  });

  test("is a normal end where that is accepted, before or after", async () => {
    const accepted = { ...INPUTS, acceptFailed: true };
    expect((await create(accepted)).outputs).toMatchObject({ status: "failed", acceptFailed: true });
    const { state } = await unfinished(create());
    expect(verdict(state, accepted)).toMatchObject({ changed: ["acceptFailed"], because: "SETTINGS" });
    const asked = scripted.requests.length;
    const after = await update(state, accepted);
    expect(after.outputs).toMatchObject({ status: "failed", acceptFailed: true });
    expect(scripted.requests).toHaveLength(asked);
    // no longer accepted: an error again
    expect(verdict(after)).toMatchObject({ changed: ["acceptFailed"], because: "JOB_FAILED" });
  });
});

describe("a final job", () => {
  const final = async (): Promise<AgentJobState> => {
    answer = endsAs({ status: "completed" }, 0);
    return create();
  };

  test("is replaced by another id, project or service; other changes are remembered without a request", async () => {
    const state = await final();
    const replacing = { jobId: "a2", projectId: "p2", baseUrl: "https://other.example.test" };
    for (const [name, value] of Object.entries(replacing)) {
      expect(verdict(state, { [name]: value })).toMatchObject({ replaces: [name], because: "REPLACED" });
    }
    expect(agentJob.diff({ ...INPUTS, jobId: "a2" }, state, MACHINE).decision.text).toMatch(/^id changed/);
    const asked = scripted.requests.length;
    const change = { apiKeyEnv: "PARTNER_API_KEY" };
    expect(verdict(state, change)).toEqual({
      changed: ["apiKeyEnv"],
      replaces: [],
      hidden: false,
      because: "SETTINGS",
    });
    const updated = await update(state, { ...INPUTS, ...change });
    expect(updated).toEqual({ ...state, outputs: { ...state.outputs, ...change } });
    expect(scripted.requests).toHaveLength(asked);
  });

  test("is asked for once by a read, which sees when it was archived", async () => {
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
});

describe("a lookup", () => {
  const lookUp = (given: Record<string, unknown>): Promise<unknown> =>
    clock.run(lookUpAgentJob(context(), { baseUrl: INPUTS.baseUrl, ...given }));

  test("asks once and waits for nothing", async () => {
    expect(await lookUp({ projectId: "p1", id: "a1" })).toEqual(JOB);
    expect(scripted.requests).toHaveLength(1);
  });

  test("passes on a status that is not known, with a warning", async () => {
    answer = endsAs({ status: "paused" }, 0);
    expect(await lookUp({ projectId: "p1", id: "a1" })).toMatchObject({ status: "paused" });
    expect(reporter.lines.warn).toEqual(['agent job a1 of project p1 has the unknown status "paused"']);
  });

  test("passes on a job of which fields are missing, with a warning", async () => {
    answer = () => ({ body: { id: "a1", status: "active", source: JOB.source, createdAt: JOB.createdAt } });
    expect(await lookUp({ projectId: "p1", id: "a1" })).toEqual({ ...JOB, model: "" });
    expect(reporter.lines.warn).toEqual([
      "agent job a1 of project p1: the service does not tell model: empty in the outputs",
    ]);
  });

  test("names every argument that is wrong, before any request", async () => {
    await expect(lookUp({ id: "..", apiKeyEnv: "svc key", job: "a1" })).rejects.toThrow(
      /^the agent job cannot be looked up: job there is no such input.*; projectId is required.*; id is not an identifier.*; apiKeyEnv is the name/,
    );
    expect(scripted.requests).toEqual([]);
  });

  test.each([
    ["a/b", "a%2Fb"],
    ["../../v1/static-export/jobs", "..%2F..%2Fv1%2Fstatic-export%2Fjobs"],
    ["?x", "%3Fx"],
    ["#", "%23"],
    ["%2e%2e", "%252e%252e"],
  ])("«%s» in an id never reaches another path", async (id, segment) => {
    answer = () => ({ body: { ...JOB, id } });
    await lookUp({ projectId: id, id });
    expect(scripted.requests.map(({ url }) => url)).toEqual([
      `https://api.example.test/v2/agent/${segment}/job/${segment}`,
    ]);
  });

  test("is repeated when the service is busy, and gives up within a minute", async () => {
    let busy = 2;
    answer = () => (busy-- > 0 ? { status: 503 } : { body: JOB });
    expect(await lookUp({ projectId: "p1", id: "a1" })).toEqual(JOB);
    busy = Infinity;
    const from = clock.monotonic();
    await expect(lookUp({ projectId: "p1", id: "a1" })).rejects.toThrow("agent job a1 of project p1: ");
    expect(clock.monotonic() - from).toBeLessThanOrEqual(60_000);
  });

  test("without the right to it says what to check, not that an export needs a plan", async () => {
    answer = () => ({ status: 403, body: { error: "not your project" } });
    await expect(lookUp({ projectId: "p1", id: "a1" })).rejects.toThrow(
      /not your project.*Check what the API key may do\.$/,
    );
  });
});

describe("what is told of a decision", () => {
  const NAME = "agent job a1 of project p1";
  const decided = (
    state: AgentJobState,
    changes: Partial<CheckedAgentJobInputs> = {},
  ): ReturnType<typeof agentJob.diff> => agentJob.diff({ ...INPUTS, ...changes }, state, MACHINE);

  test("of a final job, by its own id", async () => {
    answer = endsAs({ status: "completed" }, 0);
    const state = await create();
    expect(agentJob.idOf(state)).toBe("a1");
    expect(reporter.lines.info.join("\n")).toContain(`${NAME} is waited for`);
    expect(reporter.lines.info.join("\n")).toContain("NEW");
    expect(decided(state).decision.text).toBe(`${NAME} is completed: nothing is asked for`);
    const settings = decided(state, { acceptFailed: true, apiKeyEnv: "SECOND_KEY" });
    expect(settings.decision.text).toBe("acceptFailed and apiKeyEnv changed: remembered without a request");
    const other = decided(state, { projectId: "p2", jobId: "a2" });
    expect(other.decision.text).toBe("projectId and id changed: another agent job in its place");
    expect(other.hidden).toBe(false);
  });

  test("of a failed job, with what to do", async () => {
    answer = endsAs({ status: "failed" }, 0);
    const { state, message } = await unfinished(create());
    expect(message).toBe(
      `${NAME} failed: the agent met an unrecoverable error. It is final and not asked for again. Start the agent anew ` +
        "and give the id of the new job, or take this for a normal end with `acceptFailed: true`.",
    );
    expect(decided(state).decision.text).toBe(`${NAME} failed, which is not accepted: nothing is asked for`);
    expect(decided(state, { apiKeyEnv: "SECOND_KEY" }).hidden).toBe(false);
  });

  test("of a job that was not final, or is gone", async () => {
    const { state, message } = await unfinished(create(INPUTS, 60_000));
    expect(message).toContain(`${NAME} to be final`);
    expect(decided(state).decision.text).toBe(
      `${NAME} was not final when an earlier run ended: the wait goes on`,
    );
    answer = () => ({ status: 404, body: { error: "unknown" } });
    await expect(create()).rejects.toThrow(/answered 404: unknown\)\. Check both ids/);
  });

  test("of a lookup that is not by its resource", async () => {
    await expect(agentJob.lookUp(context(), "a1", {})).rejects.toThrow(
      "a1: an AgentJob is not looked up by its resource; use getAgentJob.",
    );
  });
});
