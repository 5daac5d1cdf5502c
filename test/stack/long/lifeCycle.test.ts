// Scenarios of a static export's life, and of an agent job's beside it. After each, a preview shows no changes.
import { expect, test } from "vitest";
import { docs } from "../programFolder.ts";
import { bundle, poll, readAgentJob, startsOf, wholeExport } from "../requests.ts";
import {
  buildWorld,
  CANARY_KEY,
  onEachEngine,
  previewIsEmpty,
  stepsOf,
  succeeded,
  type World,
} from "../world.ts";

const AGENT = `new AgentJob("agent", { projectId: "p1", id: "a1" });`;

const finishAgentJob = ({ service }: World): unknown =>
  service.agentJobs.set("p1", { id: "a1", status: "completed" });

onEachEngine("life cycle", (kind) => {
  test.concurrent(
    "L02, U12, I12 no change, also with undefined or absent in place of null: no step, no line, no request",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (value: string): string =>
        `const names = ["version", "triggers", "jobId", "renewBefore", "exportOptions", "renewalTimeout", "baseUrl", "apiKeyEnv"];
         const rest = ${value} === "absent" ? [] : names.map((name) => [name, ${value}]);
         new StaticExport("bare", { domain: "docs.example.com", ...Object.fromEntries(rest) });
         ${docs(`triggers: [1, { a: null }], version: "v1"`)}`;
      await world.up(program("null"));
      const exports = () => Promise.all(["bare", "docs"].map((name) => world.exported(name)));
      const before = await exports();
      world.requests();
      for (const value of ["undefined", '"absent"']) {
        world.program(program(value));
        await previewIsEmpty(world);
      }
      world.program(program("null"));
      for (const operation of ["preview", "up"] as const) {
        const result = succeeded(await world.stack[operation]());
        expect(stepsOf(result)).toEqual([]);
        expect(result.logs.filter(({ urn }) => urn?.includes(":StaticExport::"))).toEqual([]);
      }
      expect(world.requests()).toEqual([]);
      expect(await exports()).toEqual(before);
    },
  );

  test.concurrent(
    "L03, L04, L05, L49 another domain replaces; another version, known in the preview, or trigger exports again; other changes are recorded without a request",
    async (context) => {
      const world = await buildWorld(context, kind, { env: { OTHER_NAME: CANARY_KEY } });
      const program = (now: "before" | "after"): string =>
        `const site = (name, args, opts) => new StaticExport(name, { domain: "docs.example.com", ...args }, opts);
         const updateWithin = (update) => ({ customTimeouts: { update } });
         const now = (before, after) => ${now};
         site("domain", { domain: now("docs.example.com", "other.example.com") });
         const version = site("version", { version: now("v1", "v2") });
         site("trigger", { triggers: [now("abc", "def")] });
         site("settings", { renewBefore: now(undefined, "5m"), renewalTimeout: now(undefined, "2m") }, updateWithin(now("30m", "1h")));
         site("limits", {}, updateWithin(now("30m", "2h")));
         site("key", { apiKeyEnv: now(undefined, "OTHER_NAME") });
         const values = staticExportValues(version).staticExport;
         module.exports = { version: version.version, link: values.bundleUrl, pinned: values.version, on: values.enabled };`;
      const names = ["domain", "version", "trigger", "settings", "limits", "key"] as const;
      const exports = () => Promise.all(names.map((name) => world.exported(name)));
      await world.up(program("before"));
      const before = await exports();
      world.requests();

      world.addPage("news.md", "# News\n");
      world.program(program("after"));
      const preview = succeeded(await world.stack.preview());
      expect(preview.outputs["version"]).toEqual({ value: "v2", secret: false });
      expect(preview.summary).toMatchObject({ update: 4, replace: 1 });
      expect(world.requests()).toEqual([]);
      const up = await world.up();
      expect(stepsOf(up).sort()).toEqual([
        "create-replacement domain",
        "delete-replaced domain",
        "replace domain",
        "update key",
        "update settings",
        "update trigger",
        "update version",
      ]);
      const [domain, version, trigger, settings, limits, key] = await exports();
      const again = [domain, version, trigger].map((resource) => resource?.outputs["jobId"]);
      expect(world.requestsSideBySide()).toEqual(again.flatMap(wholeExport).sort());
      for (const { outputs } of before) expect(again).not.toContain(outputs["jobId"]);

      expect(domain?.id).toBe("other.example.com");
      expect(domain?.outputs["domain"]).toBe("other.example.com");
      const starts = startsOf(world.service.requests).map((start) => start.domain);
      expect(starts.filter((name) => name === "other.example.com")).toHaveLength(1);
      expect(version?.outputs).toMatchObject({ version: "v2", pageCount: 2 });
      expect(up.outputs).toMatchObject({
        link: { value: version?.outputs["bundleUrl"], secret: true },
        pinned: { value: "v2", secret: false },
        on: { value: true, secret: false },
      });
      expect(settings?.outputs).toMatchObject({
        bundleUrl: before[3]?.outputs["bundleUrl"],
        renewBefore: "5m",
        renewalTimeout: "2m",
      });
      if (kind.adapter === "dynamic") {
        // with the native one they are no inputs
        expect(settings?.inputs["__timeouts"]).toEqual({ update: "1h" });
        expect(limits?.inputs["__timeouts"]).toEqual({ update: "2h" });
      }
      expect(limits?.outputs).toEqual(before[4]?.outputs);
      expect(key?.outputs).toEqual({ ...before[5]?.outputs, apiKeyEnv: "OTHER_NAME" });
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L07, L09, L10, L08 refresh sends one request and changes nothing, also where it is refused; a job that is gone leaves the state, and the next up creates it",
    async (context) => {
      const world = await buildWorld(context, kind);
      finishAgentJob(world);
      await world.up(`${docs()} ${AGENT}`);
      const before = await world.exported();
      world.requests();
      succeeded(await world.stack.refresh());
      expect(world.requestsSideBySide()).toEqual([poll(before.outputs["jobId"]), readAgentJob()].sort());
      // a refresh drops empty lists of dependencies, on the real engine too
      const unchanged = { ...before, propertyDependencies: expect.anything() as unknown };
      expect(await world.exported()).toEqual(unchanged);

      for (const [status, text] of [
        [501, "answered 501"],
        [401, "rejected the API key"],
        [403, "does not allow this"],
      ] as const) {
        const undo = world.answerLooks({ status, body: { error: "not now" } });
        const { ok, error } = await world.stack.refresh();
        undo();
        expect(ok).toBe(false);
        expect(error).toContain(text);
        expect(error).toContain("The state is unchanged.");
        expect(await world.exported()).toEqual(unchanged);
      }
      await previewIsEmpty(world);

      await world.service.reset();
      world.service.agentJobs.reset();
      succeeded(await world.stack.refresh());
      expect((await world.stack.exportState()).filter(({ custom }) => custom)).toEqual([]);
      finishAgentJob(world);
      expect(stepsOf(await world.up()).sort()).toEqual(["create agent", "create docs"]);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L17, C13 a deadline, of create or of update, each its own, is reported in full and keeps the job, and the next up continues it",
    async (context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      world.service.agentJobs.set("p1", { id: "a1", status: "active" });
      const program = (update: string): string =>
        `const customTimeouts = { create: "3s", update: "${update}", delete: "1s" };
         new StaticExport("docs", { domain: "docs.example.com" }, { customTimeouts });
         new AgentJob("agent", { projectId: "p1", id: "a1" }, { customTimeouts });`;
      world.program(program("4s"));
      for (const limit of ["3s", "4s"]) {
        expect((await world.stack.up()).ok).toBe(false);
        const errors = (await world.stack.exportState()).flatMap(({ initErrors }) => initErrors);
        expect(errors.sort()).toEqual(
          [
            `^agent job a1 of project p1: waited for .* to be final, but the time limit of ${limit} passed\\..*continues to wait`,
            `^docs\\.example\\.com: waited for export job .* time limit of ${limit} passed\\. Last seen: running.*Nothing is lost`,
          ].map((text) => expect.stringMatching(text) as unknown),
        );
      }
      const { jobId } = (await world.exported()).outputs;
      expect((await world.agentJob()).outputs).toMatchObject({ status: "active", prLink: null });

      world.requests();
      letJobsEnd();
      finishAgentJob(world);
      expect(stepsOf(await world.up(program("5m"))).sort()).toEqual(["update agent", "update docs"]);
      expect(world.requestsSideBySide()).toEqual([readAgentJob(), poll(jobId), bundle(jobId)].sort());
      expect((await world.exported()).outputs).toMatchObject({ jobId, status: "completed" });
      expect((await world.agentJob()).outputs).toMatchObject({ status: "completed" });
      expect(startsOf(world.service.requests)).toHaveLength(1);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L12, L13, L20, C14 delete with no key, no configuration and no network, after the service's end, also of an unfinished export: no request is sent, the state is forgotten",
    async (context) => {
      const world = await buildWorld(context, kind);
      finishAgentJob(world);
      world.program(
        `const job = ${AGENT}
         new StaticExport("docs", { domain: "docs.example.com", triggers: [job.prLink] });
         new StaticExport("unfinished", { domain: "other.example.com" }, { customTimeouts: { create: "3s" } });`,
      );
      world.service.intercept(({ method, domain }) =>
        method === "GET" && domain === "other.example.com" ? { body: { status: "running" } } : undefined,
      );
      expect((await world.stack.up({ continueOnError: true })).error).toContain("time limit of 3s passed");
      await world.service.close();
      world.requests();
      const bare = await world.open({
        env: { DOCS_HOSTING_BASE_URL: undefined, DOCS_HOSTING_ADMIN_API_KEY: undefined },
      });
      expect(stepsOf(succeeded(await bare.destroy())).sort()).toEqual([
        "delete agent",
        "delete docs",
        "delete unfinished",
      ]);
      expect(world.requests()).toEqual([]);
      expect(await bare.exportState()).toEqual([]);
      expect(world.resumeRecords()).toEqual([]);
    },
  );
});
