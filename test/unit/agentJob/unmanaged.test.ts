// Jobs that no resource has: import and lookup.
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { agentJob } from "../../../provider/agentJob/lifeCycle.ts";
import { lookUpAgentJob } from "../../../provider/agentJob/lookUp.ts";
import type { Context } from "../../../provider/resource/context.ts";
import { COMPLETED_JOB } from "../../simulation/agentJobReply.ts";
import { caught } from "../../simulation/simulatedExport.ts";
import { KEY } from "../../simulation/testContext.ts";
import {
  answerWith,
  clock,
  context,
  INPUTS,
  JOB,
  NAME,
  reporter,
  SAME,
  scripted,
  verdict,
  withJob,
} from "./agentJob.ts";

withJob();

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
    answerWith(() => ({ body: COMPLETED_JOB }));
    const { inputs, state } = await imported();
    expect(inputs).toEqual({ projectId: "p1", jobId: "a1" });
    expect(scripted.requests).toHaveLength(1);
    expect(verdict(state)).toMatchObject(SAME);
    expect(state.outputs).toMatchObject({ status: "completed", acceptFailed: false });
  });

  test("is accepted as it is when it failed, because the next run would refuse it otherwise", async () => {
    answerWith(() => ({ body: { ...JOB, status: "failed" } }));
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
    answerWith(() => ({ body: { ...JOB, model: undefined } }));
    expect((await imported()).state.outputs.model).toBe("");
    expect(reporter.lines.warn).toEqual([`${NAME}: the service does not send model: empty in the outputs`]);
  });

  test("is named in the error when the service does not have it, with what to do", async () => {
    answerWith(() => ({ status: 404, body: { error: "unknown" } }));
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
    answerWith(() => ({ status: 403, body: { error: "no" } }));
    await expect(imported()).rejects.toThrow("Nothing was imported");
  });
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
    answerWith(() => ({ status: 404, body: { error: "unknown" } }));
    const error = await caught(lookUp({ projectId: "p1", id: KEY }));
    expect(error.message).toMatch(/^agent job \[removed\] of project p1: there is no such job/);
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });

  test("is repeated when the service is busy, and gives up within a minute", async () => {
    let busy = 2;
    answerWith(() => (busy-- > 0 ? { status: 503 } : { body: JOB }));
    expect(await lookUp({ projectId: "p1", id: "a1" })).toEqual(JOB);
    busy = Infinity;
    const from = clock.monotonic();
    await expect(lookUp({ projectId: "p1", id: "a1" })).rejects.toThrow(`${NAME}: `);
    expect(clock.monotonic() - from).toBeLessThanOrEqual(60_000);
  });
});
