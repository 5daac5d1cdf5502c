// The resources in company: inside components, and beside siblings that use them.
import { expect, test } from "vitest";
import type { StateResource } from "../engine/index.ts";
import { bundle, poll, START, wholeExport } from "./requests.ts";
import { releaseLog, releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

const AGENT_JOB = {
  id: "a1",
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "agent/typos" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00.250Z",
  archivedAt: null,
} as const;
const LOOK = "GET /v2/agent/p1/job/a1";

/** Where the stand-ins for Helm releases note what becomes of them. */
/** Its parents' types and its own, as its row in the CLI and the records of the provider name it. */
const typesOf = (resource: StateResource): unknown => String(resource.outputs["__urn"]).split("::")[2];

const wholeExports = (resources: readonly StateResource[]): string[] =>
  resources.flatMap(({ outputs }) => wholeExport(outputs["jobId"])).sort();

onEachEngine("composition", (kind) => {
  test.concurrent(
    "C01 a component with two exports, one fed by the other: up, nothing to do, a new version, destroy",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(
          `class Manuals extends pulumi.ComponentResource {
             constructor(name) {
               super("test:index:Manuals", name);
               const parent = this;
               const en = new StaticExport("en", { domain: "docs.example.com", version: "${version}" }, { parent });
               new StaticExport("de", { domain: "other.example.com", triggers: [en.jobId] }, { parent });
               this.registerOutputs({});
             }
           }
           new Manuals("manuals");`,
        );
      const both = async (): Promise<[StateResource, StateResource]> => [
        await world.exported("en"),
        await world.exported("de"),
      ];
      const oneAfterTheOther = (resources: readonly StateResource[]): string[] =>
        resources.flatMap(({ outputs: { jobId } }) => [START, poll(jobId), bundle(jobId)]);

      program("v1");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create en", "create de"]);
      const [en, de] = await both();
      expect(world.requests()).toEqual(oneAfterTheOther([en, de]));
      expect(de.outputs["triggers"]).toEqual([en.outputs["jobId"]]);
      expect([en, de].map(({ outputs }) => outputs["__urn"])).toEqual([en.urn, de.urn]);
      await previewIsEmpty(world);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
      expect(world.requests()).toEqual([]);

      program("v2");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update en", "update de"]);
      const next = await both();
      expect(world.requests()).toEqual(oneAfterTheOther(next));
      expect(next[1].outputs["triggers"]).toEqual([next[0].outputs["jobId"]]);

      expect(stepsOf(succeeded(await world.stack.destroy()))).toEqual(["delete de", "delete en"]);
      expect(world.requests()).toEqual([]);
      expect(await world.stack.exportState()).toEqual([]);
    },
  );

  test.concurrent(
    "C02 an export, an installation and an agent job in one component, which is in a component, which is in another",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", AGENT_JOB);
      const log = releaseLogFile(context);
      world.program(
        `${standInRelease(log)}
         const component = (type, inside) => class extends pulumi.ComponentResource {
           constructor(name, opts) {
             super("test:index:" + type, name, {}, opts);
             this.found = inside({ parent: this });
             this.registerOutputs(this.found);
           }
         };
         const Team = component("Team", (child) => {
           const job = new AgentJob("agent", { projectId: "p1", id: "a1" }, child);
           const staticExport = new StaticExport("team", { domain: "docs.example.com", triggers: [job.prLink] }, child);
           const chart = "oci://registry.invalid/docs";
           const { status } = new SelfHostedDocs("site", { staticExport, chart, deploymentKind: "air-gapped" }, child);
           return { status, version: staticExport.version };
         });
         const Department = component("Department", (child) => {
           const { found: { version, status } } = new Team("team", child);
           new StaticExport("department", { domain: "docs.example.com", triggers: [version] }, child);
           return { version, status };
         });
         const Company = component("Company", (child) => {
           new StaticExport("company", { domain: "docs.example.com" }, child);
           return new Department("department", child).found;
         });
         module.exports = new Company("company").found;`,
      );
      const steps = ["agent", "company", "department", "team"];
      expect(stepsOf(succeeded(await world.stack.preview())).sort()).toEqual(
        steps.map((name) => `create ${name}`),
      );
      expect(world.requests()).toEqual([]);

      const up = succeeded(await world.stack.up());
      expect(stepsOf(up).sort()).toEqual(steps.map((name) => `create ${name}`));
      const exports = await Promise.all(
        ["company", "department", "team"].map((name) => world.exported(name)),
      );
      expect(world.requestsSideBySide()).toEqual([...wholeExports(exports), LOOK].sort());
      const [company, department, team] = exports;
      expect(exports.map(typesOf)).toEqual(
        ["", "$test:index:Department", "$test:index:Department$test:index:Team"].map(
          (inside) => `test:index:Company${inside}$pulumi-nodejs:dynamic/docs-hosting:StaticExport`,
        ),
      );
      for (const { urn, outputs } of exports) {
        expect(outputs["__urn"]).toBe(urn);
        const lines = up.logs.filter((line) => line.urn === urn).map(({ message }) => message);
        expect(lines).toContainEqual(expect.stringMatching(/^NEW: /)); // on its own row
      }
      expect(team?.outputs["triggers"]).toEqual([AGENT_JOB.prLink]);
      expect(department?.outputs["triggers"]).toEqual([team?.outputs["version"]]);
      expect(company?.outputs["status"]).toBe("completed");
      expect(up.outputs).toMatchObject({
        version: { value: team?.outputs["jobId"] },
        status: { value: { status: "deployed" } },
      });
      expect(releaseLog(log)).toEqual([`install ${String(team?.outputs["version"])}`]);
      const release = (await world.stack.exportState()).find(({ type }) => type.endsWith(":Release"));
      expect(release?.outputs).toMatchObject({
        values: { staticExport: { enabled: true, bundleUrl: team?.outputs["bundleUrl"] } },
      });
      expect(release?.secretOutputs).toContain("values");

      await previewIsEmpty(world);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
      expect(world.requests()).toEqual([]);
      succeeded(await world.stack.refresh());
      expect(world.requestsSideBySide()).toEqual(
        [...exports.map(({ outputs }) => poll(outputs["jobId"])), LOOK].sort(),
      );
      await previewIsEmpty(world);
      expect(stepsOf(succeeded(await world.stack.destroy())).sort()).toEqual(
        steps.map((name) => `delete ${name}`),
      );
      expect(world.requests()).toEqual([]);
      expect(releaseLog(log).slice(1)).toEqual(["uninstall"]);
      expect(await world.stack.exportState()).toEqual([]);
    },
  );

  test.concurrent(
    "C13 customTimeouts: create and update are each used for their own operation",
    async (context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      const active = { ...AGENT_JOB, status: "active", prLink: null } as const;
      world.service.agentJobs.set("p1", active);
      const program = (update: string): void =>
        world.program(
          `const customTimeouts = { create: "3s", update: "${update}", delete: "1s" };
         new StaticExport("docs", { domain: "docs.example.com" }, { customTimeouts });
         new AgentJob("agent", { projectId: "p1", id: "a1" }, { customTimeouts });`,
        );
      const limits = async (): Promise<unknown> =>
        (await world.stack.exportState())
          .flatMap(({ initErrors }) => initErrors)
          .map((error) => /time limit of (\w+) passed/.exec(error)?.[1]);
      program("4s");
      expect((await world.stack.up()).ok).toBe(false);
      expect(await limits()).toEqual(["3s", "3s"]);
      expect((await world.stack.up()).ok).toBe(false);
      expect(await limits()).toEqual(["4s", "4s"]);
      const { jobId } = (await world.exported()).outputs;

      world.requests();
      program("5m");
      letJobsEnd();
      world.service.agentJobs.set("p1", AGENT_JOB);
      expect(stepsOf(succeeded(await world.stack.up())).sort()).toEqual(["update agent", "update docs"]);
      expect(world.requestsSideBySide()).toEqual([LOOK, poll(jobId), bundle(jobId)].sort());
      await previewIsEmpty(world);
      expect(world.service.requests.filter(({ method, path }) => `${method} ${path}` === START)).toHaveLength(
        1,
      );
    },
  );

  test.concurrent(
    "C14 delete with no key, no configuration and no network, after the service's end: nothing is asked, all is forgotten",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", AGENT_JOB);
      world.program(
        `const job = new AgentJob("agent", { projectId: "p1", id: "a1" });
         new StaticExport("docs", { domain: "docs.example.com", triggers: [job.prLink] });
         new StaticExport("unfinished", { domain: "other.example.com" }, { customTimeouts: { create: "3s" } });`,
      );
      const undo = world.service.intercept(({ method, domain }) =>
        method === "GET" && domain === "other.example.com" ? { body: { status: "running" } } : undefined,
      );
      expect((await world.stack.up({ continueOnError: true })).error).toContain("time limit of 3s passed");
      undo();
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
