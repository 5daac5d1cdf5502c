// Agent jobs as part of a stack: waited for, read, and followed by an export.
import { expect, test, vi } from "vitest";
import type { AgentJob } from "../../examples/reference-service/index.ts";
import {
  CANARY_KEY,
  buildWorld,
  onEachEngine,
  previewIsEmpty,
  stepsOf,
  succeeded,
  type World,
} from "./world.ts";

const JOB: AgentJob = {
  id: "a1",
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "agent/typos" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00.250Z",
  archivedAt: null,
};
const LOOK = "GET /v2/agent/p1/job/a1";
const AGENT = `new AgentJob("agent", { projectId: "p1", id: "a1" });`;
/** The first look has had its answer once there is a second one. */
async function looked(world: World): Promise<void> {
  await vi.waitUntil(() => world.service.requests.length > 1, { timeout: 60_000 });
}

onEachEngine("agent jobs", (kind) => {
  test.concurrent(
    "every field of a final job reaches the program, null where there is none, and up never asks again",
    async (context) => {
      const world = await buildWorld(context, kind);
      const jobs: AgentJob[] = [
        JOB,
        { ...JOB, id: "a2", prLink: null }, // no file was changed: a normal end
        {
          ...JOB,
          id: "a3",
          status: "archived",
          archivedAt: "2026-03-02T10:00:00+01:00",
          source: { repository: "https://git.example.com/docs/site", ref: null },
        },
      ];
      for (const job of jobs) world.service.agentJobs.set("p1", job);
      world.program(
        `module.exports = { jobs: ["a1", "a2", "a3"].map((agentJob) => {
           const job = new AgentJob(agentJob, { projectId: "p1", id: agentJob });
           const { id, status, source, model, prLink, createdAt, archivedAt } = job;
           return { id, status, source, model, prLink, createdAt, archivedAt };
         }) };`,
      );
      const looks = (): string[] => world.requests().sort();
      const up = succeeded(await world.stack.up());
      expect(up.outputs["jobs"]?.value).toEqual(jobs);
      const each = jobs.map(({ id }) => `GET /v2/agent/p1/job/${id}`);
      expect(looks()).toEqual(each);
      const again = succeeded(await world.stack.up());
      expect(stepsOf(again)).toEqual([]);
      expect(again.outputs["jobs"]?.value).toEqual(jobs);
      expect(looks()).toEqual([]);
      succeeded(await world.stack.refresh());
      expect(looks()).toEqual(each);
      await previewIsEmpty(world);
      succeeded(await world.stack.destroy());
      expect(looks()).toEqual([]);
      expect(await world.everythingWritten()).not.toContain(CANARY_KEY);
    },
  );

  test.concurrent("an active job is waited for, with progress on its own row", async (context) => {
    const world = await buildWorld(context, kind);
    world.service.agentJobs.set("p1", { ...JOB, status: "active", prLink: null });
    world.program(`const job = ${AGENT}\nmodule.exports = { status: job.status, prLink: job.prLink };`);
    const running = world.stack.up();
    await looked(world);
    world.service.agentJobs.transition("p1", "a1", "completed", { prLink: String(JOB.prLink) });
    const up = succeeded(await running);
    expect(up.outputs).toMatchObject({ status: { value: "completed" }, prLink: { value: JOB.prLink } });
    const { urn } = await world.agentJob();
    expect(up.logs.filter((line) => line.urn === urn).map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "NEW: agent job a1 of project p1 is waited for",
        expect.stringMatching(/^active \(\d+s\)$/) as string,
      ]),
    );
  });

  test.concurrent(
    "a failed job is an error that up repeats without a request, until failing is accepted",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", { ...JOB, status: "failed", prLink: null });
      world.program(`${AGENT} module.exports = {};`);
      const first = await world.stack.up();
      expect(first.ok).toBe(false);
      expect(first.error).toContain("agent job a1 of project p1 failed");
      expect(first.error).toContain("`acceptFailed: true`");
      expect(world.requests()).toEqual([LOOK]);
      const second = await world.stack.up();
      expect(second.error).toContain("agent job a1 of project p1 failed");
      expect(world.requests()).toEqual([]);
      world.program(
        `const job = new AgentJob("agent", { projectId: "p1", id: "a1", acceptFailed: true });
         module.exports = { status: job.status, prLink: job.prLink };`,
      );
      const accepted = succeeded(await world.stack.up());
      expect(accepted.outputs).toMatchObject({ status: { value: "failed" }, prLink: { value: null } });
      expect(world.requests()).toEqual([]);
    },
  );

  test.concurrent(
    "a job that is never final ends at the deadline, and the next up goes on waiting",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", { ...JOB, status: "active", prLink: null });
      world.program(
        `new AgentJob("agent", { projectId: "p1", id: "a1" }, { customTimeouts: { create: "4s", update: "60s" } });`,
      );
      const first = await world.stack.up();
      expect(first.ok).toBe(false);
      expect(first.error).toMatch(
        /agent job a1 of project p1: waited for .* to be final, but the time limit of 4s passed\..*goes on waiting/,
      );
      expect((await world.agentJob()).outputs).toMatchObject({ status: "active", prLink: null });
      world.service.agentJobs.transition("p1", "a1", "completed");
      world.requests();
      const second = succeeded(await world.stack.up());
      expect(stepsOf(second)).toEqual(["update agent"]);
      expect(world.requests()).toEqual([LOOK]);
      expect((await world.agentJob()).outputs).toMatchObject({ status: "completed", prLink: null });
      await previewIsEmpty(world);
    },
  );

  test.concurrent("Ctrl-C ends the wait at once, and the next up goes on", async (context) => {
    const world = await buildWorld(context, kind);
    world.service.agentJobs.set("p1", { ...JOB, status: "active", prLink: null });
    world.program(AGENT);
    const interrupt = new AbortController();
    const running = world.stack.up({ signal: interrupt.signal });
    await looked(world);
    interrupt.abort();
    expect((await running).ok).toBe(false);
    expect((await world.agentJob()).initErrors).toEqual([
      "agent job a1 of project p1: stopped: the run was cancelled. The next `pulumi up` goes on waiting for it.",
    ]);
    world.service.agentJobs.transition("p1", "a1", "completed");
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update agent"]);
  });

  test.concurrent("another id or project is another resource", async (context) => {
    const world = await buildWorld(context, kind);
    world.service.agentJobs.set("p1", JOB);
    world.service.agentJobs.set("p1", { ...JOB, id: "a2" });
    world.program(AGENT);
    succeeded(await world.stack.up());
    world.program(AGENT.replace("a1", "a2"));
    expect(succeeded(await world.stack.up()).summary).toMatchObject({ replace: 1 });
    expect((await world.agentJob()).id).toBe("a2");
  });

  test.concurrent(
    "a job that is gone is forgotten by a refresh, and missed by the next up",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", JOB);
      world.program(AGENT);
      succeeded(await world.stack.up());
      world.service.agentJobs.reset();
      succeeded(await world.stack.refresh());
      await expect(world.agentJob()).rejects.toThrow("0 resources AgentJob");
      const up = await world.stack.up();
      expect(up.error).toContain("agent job a1 of project p1: there is no such job (GET http");
      expect(up.error).toContain("Check both ids");
    },
  );

  test.concurrent(
    "wrong inputs are failures of the user's own properties, before any request",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(
        `new AgentJob("agent", { projectId: "..", id: "a\\u0000", acceptFailed: "yes", name: "x" });`,
      );
      const { ok, error } = await world.stack.up();
      expect(ok).toBe(false);
      for (const property of ["projectId", "id", "acceptFailed", "name"]) {
        expect(error).toContain(`property ${property} value`);
      }
      expect(world.requests()).toEqual([]);
    },
  );

  test.concurrent("what the service refuses is an error that names both ids", async (context) => {
    const world = await buildWorld(context, kind);
    world.service.agentJobs.set("p1", JOB);
    world.service.intercept(({ path }) => {
      if (path.endsWith("/locked")) return { status: 401, body: { error: "bad key" } };
      return path.endsWith("/broken") ? { body: { ...JOB, id: "broken", status: 7 } } : undefined;
    });
    world.program(
      `for (const id of ["a9", "../job/a1?x#y%2e", "locked", "broken"]) new AgentJob(id, { projectId: "p1", id });`,
    );
    const { ok, error } = await world.stack.up({ continueOnError: true });
    expect(ok).toBe(false);
    expect(error).toContain("agent job a9 of project p1: there is no such job");
    expect(error).toContain("agent job ../job/a1?x#y%2e of project p1: there is no such job");
    expect(error).toContain("agent job locked of project p1: the service rejected the API key");
    expect(error).toContain("agent job broken of project p1: GET http");
    expect(error).toContain('without a usable "status"');
    expect(new Set(world.requests())).toEqual(
      new Set(["a9", "..%2Fjob%2Fa1%3Fx%23y%252e", "locked", "broken"].map((id) => LOOK.replace("a1", id))),
    );
  });

  test.concurrent(
    "an export follows the agent: again when the pull request changed, else not",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", JOB);
      world.service.agentJobs.set("p1", { ...JOB, id: "a2", prLink: null });
      world.service.agentJobs.set("p1", { ...JOB, id: "a3", prLink: null });
      const gate = (id: string): void =>
        world.program(
          `const job = new AgentJob("agent", { projectId: "p1", id: "${id}" });
         new StaticExport("docs", { domain: "docs.example.com", triggers: [job.prLink] });`,
        );
      const starts = (): number =>
        world.requests().filter((request) => request === "POST /v1/static-export/jobs").length;
      gate("a1");
      succeeded(await world.stack.up());
      expect(starts()).toBe(1);
      succeeded(await world.stack.up());
      expect(starts()).toBe(0);
      gate("a2"); // from a link to none
      succeeded(await world.stack.up());
      expect(starts()).toBe(1);
      gate("a3"); // another job, none again
      succeeded(await world.stack.up());
      expect(starts()).toBe(0);
    },
  );

  test.concurrent("getAgentJob reads once in previews and ups, with every field", async (context) => {
    const world = await buildWorld(context, kind);
    world.service.agentJobs.set("p1", { ...JOB, status: "active", prLink: null });
    world.program(
      `module.exports = async () => ({ job: await getAgentJob({ projectId: "p1", id: "a1" }) });`,
    );
    for (const operation of ["preview", "up"] as const) {
      const { outputs } = succeeded(await world.stack[operation]());
      expect(outputs["job"]).toEqual({ value: { ...JOB, status: "active", prLink: null }, secret: false });
      expect(world.requests()).toEqual([LOOK]);
    }
  });

  test.concurrent("getAgentJob takes the key from the stack's configuration", async (context) => {
    const world = await buildWorld(context, kind, {
      env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
      secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
    });
    world.service.agentJobs.set("p1", JOB);
    world.program(
      `module.exports = async () => ({ status: (await getAgentJob({ projectId: "p1", id: "a1" })).status });`,
    );
    expect(succeeded(await world.stack.up()).outputs["status"]?.value).toBe("completed");
    expect(await world.everythingWritten()).not.toContain(CANARY_KEY);
  });

  test.concurrent(
    "getAgentJobOutput asks nothing for an id that is not known yet, and gives unknown outputs",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(
          `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });
           const job = getAgentJobOutput({ projectId: "p1", id: docs.jobId });
           module.exports = { status: job.status, repository: job.source.repository };`,
        );
      program("v1");
      const preview = succeeded(await world.stack.preview());
      expect(preview.outputs["status"]?.value).toBe("04da6b54-80e4-46f7-96ec-b56ff0331ba9");
      expect(world.requests()).toEqual([]);
      world.service.intercept(({ method, path }) =>
        path.startsWith("/v2/") && method === "GET"
          ? { body: { ...JOB, id: path.slice(path.lastIndexOf("/") + 1) } }
          : undefined,
      );
      const up = succeeded(await world.stack.up());
      expect(up.outputs["status"]?.value).toBe("completed");
      expect(up.outputs["repository"]?.value).toBe("https://git.example.com/docs/site");
    },
  );

  test.concurrent("getAgentJob of what does not exist names both ids, and what to check", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(`module.exports = () => getAgentJob({ projectId: "p1", id: "a9" });`);
    const { ok, text } = await world.stack.preview();
    expect(ok).toBe(false);
    expect(text).toContain("agent job a9 of project p1: there is no such job");
    expect(text).toContain("Check both ids");
    expect(text).not.toContain(CANARY_KEY);
  });
});
