import { beforeEach, describe, expect, test } from "vitest";
import type { CheckedAgentJobInputs } from "../../../provider/agentJob/inputs.ts";
import { agentJob, agentJobByStoredNames } from "../../../provider/agentJob/lifeCycle.ts";
import type { AgentJobState } from "../../../provider/agentJob/state.ts";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { decisionLine } from "../../../provider/resource/decision.ts";
import { COMPLETED_JOB } from "../../simulation/agentJobReply.ts";
import { unfinished } from "../../simulation/simulatedExport.ts";
import {
  answerWith,
  clock,
  context,
  create,
  endsAs,
  INPUTS,
  MACHINE,
  NAME,
  SAME,
  scripted,
  update,
  verdict,
  withJob,
} from "./agentJob.ts";

withJob();

describe("a failed job", () => {
  beforeEach(() => {
    answerWith(endsAs({ status: "failed" }, 0));
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
  answerWith(endsAs({ status: "completed" }, 0));
  const final = await create();
  expect(predicted(final, { acceptFailed: true })).toEqual({ ...final.outputs, acceptFailed: true });
});

describe("a final job", () => {
  const final = async (): Promise<AgentJobState> => {
    answerWith(endsAs({ status: "completed" }, 0));
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
    answerWith(endsAs(archived, 0));
    const seen = await clock.run(agentJob.read(context(), state));
    expect(seen).toEqual({
      inputs: INPUTS,
      state: { ...state, outputs: { ...state.outputs, ...archived } },
    });
    expect(scripted.requests).toHaveLength(asked + 1);
  });

  test("is gone for a read only when the service proves it", async () => {
    const state = await final();
    answerWith(() => ({ status: 404, body: { error: "unknown" } }));
    expect(await clock.run(agentJob.read(context(), state))).toBeUndefined();
    answerWith(() => ({ status: 503 }));
    await expect(clock.run(agentJob.read(context(), state))).rejects.toThrow("The state is unchanged.");
  });

  test.for([[{ message: "no Route matched with those values" }], [undefined], [{ error: null }]])(
    "is not gone for a read that gets a gateway's 404: %j",
    async ([body], { expect }) => {
      const state = await final();
      answerWith(() => ({ status: 404, body }));
      await expect(clock.run(agentJob.read(context(), state))).rejects.toThrow(
        /^agent job a1 of project p1: a 404 without the API's `error`, which proves nothing of the job \(.*\)\. The state is unchanged\. A gateway/,
      );
    },
  );

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

test("inputs have their stored names for users whose schema reserves `id`", () => {
  const { failures } = agentJobByStoredNames.check({}, context().configuration);
  expect(failures.map(({ property }) => property)).toContain("jobId");
  const state = { outputs: { ...INPUTS, ...COMPLETED_JOB, id: undefined }, bookkeeping: {} } as AgentJobState;
  const other = { ...INPUTS, jobId: "a2" };
  expect(agentJobByStoredNames.diff(other, state, MACHINE).decision.text).toContain("jobId changed");
  expect(agentJob.diff(other, state, MACHINE).decision.text).toMatch(/^id changed/);
});
