// The wait for an agent's job: polls, progress, limits, spans.
import { describe, expect, test } from "vitest";
import { agentJob } from "../../../provider/agentJob/lifeCycle.ts";
import type { AgentJobState } from "../../../provider/agentJob/state.ts";
import { RunCancelledError } from "../../../provider/base/runtime/messages/errors.ts";
import type { Context } from "../../../provider/resource/context.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { RecordedSpans } from "../../simulation/recordedSpans.ts";
import { caught, unfinished } from "../../simulation/simulatedExport.ts";
import { KEY, URN } from "../../simulation/testContext.ts";
import {
  answerWith,
  clock,
  context,
  create,
  endsAs,
  INPUTS,
  JOB,
  NAME,
  reporter,
  SAME,
  scripted,
  update,
  verdict,
  withJob,
} from "./agentJob.ts";

withJob();

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
    answerWith(() => ({ body: { ...JOB, status: statuses.shift() } }));
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
    answerWith(endsAs({ status: "failed" }, 0));
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
    answerWith(endsAs(end, 30_000));
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
    answerWith(() => ({ body: { ...JOB, status: statuses.shift() } }));
    await create();
    expect(reporter.lines.warn).toEqual([
      `${NAME} has the unknown status "paused"; it counts as still running`,
    ]);
  });

  test("polls again at the time that the service sets", async () => {
    let polls = 0;
    answerWith(() =>
      ++polls === 1
        ? { body: JOB, headers: { "retry-after": "90" } }
        : { body: { ...JOB, status: "completed" } },
    );
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
    answerWith(endsAs({ status: "completed" }, 0));
    expect((await update(state)).outputs.status).toBe("completed");
  });

  test("is stopped at once, with the fields read so far", async () => {
    const stop = new AbortController();
    answerWith(() => {
      clock.after(10, () => {
        stop.abort(new RunCancelledError("the run was cancelled", ""));
      });
      return { body: JOB };
    });
    const { state, message } = await unfinished<AgentJobState>(
      clock.run(agentJob.create(context({ signal: stop.signal }), INPUTS)),
    );
    expect(message).toContain("stopped: the run was cancelled");
    expect(state.outputs.status).toBe("active");
    expect(clock.pending).toBe(0);
  });

  test("keeps the fields of an earlier run when the service can't be reached", async () => {
    const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    answerWith(() => ({ status: 401, body: { error: `bad key ${KEY}` } }));
    const second = await unfinished<AgentJobState>(update(state));
    expect(second.state).toEqual(state);
    expect(second.message).toContain("rejected the API key");
    expect(second.message).not.toContain(KEY);
  });

  test("records nothing of a job that was never read, or is gone", async () => {
    answerWith(() => ({ status: 404, body: { error: "unknown" } }));
    const error = await caught(create());
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(error.message).toMatch(
      /^agent job a1 of project p1: there is no such job \(GET http.*: unknown\)\. Check both ids/,
    );
    answerWith(() => ({ body: JOB }));
    const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    answerWith(() => ({ status: 404, body: { error: "unknown" } }));
    await expect(update(state)).rejects.not.toBeInstanceOf(UnfinishedError);
  });

  test("keeps what it read of a job before a gateway answered in place of the service", async () => {
    const { state } = await unfinished<AgentJobState>(create(INPUTS, 60_000));
    answerWith(() => ({ status: 404, body: { message: "no Route matched with those values" } }));
    const second = await unfinished<AgentJobState>(update(state));
    expect(second.state).toEqual(state);
    expect(second.message).toContain("The next `pulumi up` continues to wait for it.");
  });
});
