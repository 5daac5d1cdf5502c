// Agent jobs in a stack: waited for, read, and followed by an export.
import { expect, test } from "vitest";
import type { AgentJob } from "../../../examples/reference-service/index.ts";
import { unknownValue } from "../../engine/index.ts";
import { FINISHED_AGENT_JOB as JOB } from "../finishedAgentJob.ts";
import { readAgentJob, startsOf } from "../requests.ts";
import { buildWorld, CANARY_KEY, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "../world.ts";

onEachEngine("agent jobs", (kind) => {
  test.concurrent(
    "every field of a final job reaches the program, null where there is none, and up never requests it again",
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
      const reads = (): string[] => world.requests().sort();
      const up = await world.up(
        `module.exports = { jobs: ["a1", "a2", "a3"].map((agentJob) => {
           const job = new AgentJob(agentJob, { projectId: "p1", id: agentJob });
           const { id, status, source, model, prLink, createdAt, archivedAt } = job;
           return { id, status, source, model, prLink, createdAt, archivedAt };
         }) };`,
      );
      expect(up.outputs["jobs"]?.value).toEqual(jobs);
      const each = jobs.map(({ id }) => readAgentJob(id));
      expect(reads()).toEqual(each);
      succeeded(await world.stack.refresh());
      expect(reads()).toEqual(each);
      const again = await world.up();
      expect(stepsOf(again)).toEqual([]);
      expect(again.outputs["jobs"]?.value).toEqual(jobs);
      expect(reads()).toEqual([]);
      succeeded(await world.stack.destroy());
      expect(reads()).toEqual([]);
      expect(await world.everythingWritten()).not.toContain(CANARY_KEY);
    },
  );

  test.concurrent(
    "another id is another resource, and an export follows it: again when the pull request changed, else not",
    async (context) => {
      const world = await buildWorld(context, kind);
      for (const job of [JOB, { ...JOB, id: "a2" }, { ...JOB, id: "a3", prLink: null }]) {
        world.service.agentJobs.set("p1", job);
      }
      const gate = (id: string): string =>
        `const job = new AgentJob("agent", { projectId: "p1", id: "${id}" });
         new StaticExport("docs", { domain: "docs.example.com", triggers: [job.prLink] });`;
      await world.up(gate("a1"));
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect((await world.up(gate("a2"))).summary).toMatchObject({ replace: 1 }); // of the same pull request
      expect((await world.agentJob()).id).toBe("a2");
      expect(startsOf(world.service.requests)).toHaveLength(1);
      await world.up(gate("a3")); // from a link to none
      expect(startsOf(world.service.requests)).toHaveLength(2);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "getAgentJob reads once in previews and ups, with the key of the stack's configuration; getAgentJobOutput sends no request for an unknown id",
    async (context) => {
      const world = await buildWorld(context, kind, {
        env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
        secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
      });
      const job: AgentJob = { ...JOB, status: "active", prLink: null };
      world.service.agentJobs.set("p1", job);
      world.program(
        `const docs = new StaticExport("docs", { domain: "docs.example.com" });
         const { status, source } = getAgentJobOutput({ projectId: "p1", id: docs.jobId });
         module.exports = async () =>
           ({ job: await getAgentJob({ projectId: "p1", id: "a1" }), status, repository: source.repository });`,
      );
      const preview = succeeded(await world.stack.preview());
      expect(preview.outputs["job"]).toEqual({ value: job, secret: false });
      expect(preview.outputs["status"]?.value).toBe(unknownValue);
      expect(world.requests()).toEqual([readAgentJob()]);
      world.service.intercept(({ path }) =>
        path.startsWith("/v2/") ? { body: { ...job, id: path.slice(path.lastIndexOf("/") + 1) } } : undefined,
      );
      const { outputs } = await world.up();
      expect(outputs["job"]).toEqual({ value: job, secret: false });
      expect(outputs["status"]?.value).toBe("active");
      expect(outputs["repository"]?.value).toBe("https://git.example.com/docs/site");
      const { jobId } = (await world.exported()).outputs;
      const reads = world.requests(({ path }) => path.startsWith("/v2/"));
      expect(reads.sort()).toEqual([readAgentJob(), readAgentJob(String(jobId))].sort());
      expect(await world.everythingWritten()).not.toContain(CANARY_KEY);
    },
  );
});
