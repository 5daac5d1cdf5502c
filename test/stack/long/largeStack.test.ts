// One larger stack, with all resources, components in components, and a whole life: the requests of each step.
import { expect, test } from "vitest";
import type { StateResource } from "../../engine/index.ts";
import { typeOf } from "../adapters.ts";
import { poll, readAgentJob, wholeExport } from "../requests.ts";
import { releaseLog, releaseLogFile, standInRelease } from "../standInRelease.ts";
import { buildWorld, nameOf, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "../world.ts";

const PR_LINK = "https://git.example.com/docs/site/pulls/4";
const AGENT_JOBS = ["a1", "a2"];
const reads = AGENT_JOBS.map(readAgentJob);

/**
 * Three sites with two exports each, one fed by the other, two agent jobs, and an installation, in a department's documentation
 * of a company.
 */
const company = (log: string, version: string, third: { name: string; opts: string }): string =>
  `${standInRelease(log)}
   const component = (type, inside) => class extends pulumi.ComponentResource {
     constructor(name, opts, triggers) {
       super("test:index:" + type, name, {}, opts);
       Object.assign(this, inside(name, { parent: this }, triggers));
       this.registerOutputs({});
     }
   };
   const Site = component("Site", (name, child, triggers) => {
     const version = "${version}";
     const en = new StaticExport(name + "-en", { domain: "docs.example.com", version, triggers }, child);
     const de = new StaticExport(name + "-de", { domain: "other.example.com", version, triggers: [en.jobId] }, child);
     return { de };
   });
   const Department = component("Department", (name, child) => {
     const jobs = ${JSON.stringify(AGENT_JOBS)}.map((id) => new AgentJob("agent-" + id, { projectId: "p1", id }, child));
     const triggers = jobs.map(({ prLink }) => prLink);
     const { de } = new Site("first", child, triggers);
     new Site("second", child, triggers);
     new Site("${third.name}", { ...child, ...${third.opts} }, triggers);
     const chart = "oci://registry.invalid/docs";
     const { status } = new SelfHostedDocs("site", { staticExport: de, chart, deploymentKind: "client-hosted" }, child);
     return { version: de.version, status };
   });
   const Company = component("Company", (name, child) => {
     const { version, status } = new Department("department", child);
     return { version, status };
   });
   const { version, status } = new Company("company");
   module.exports = { version, status };`;

onEachEngine("a larger stack", (kind) => {
  test.concurrent(
    "L26, C01, C02, C04, C06 three sites of two exports and two agent jobs beside an installation, in components of components: up, no-op, rename, refresh, --target, destroy",
    async (context) => {
      const world = await buildWorld(context, kind);
      for (const id of AGENT_JOBS) {
        world.service.agentJobs.set("p1", { id, status: "completed", prLink: PR_LINK });
      }
      const log = releaseLogFile(world);
      const exports = (): Promise<StateResource[]> =>
        world.stack.exportState().then((all) => all.filter(({ type }) => type.endsWith(":StaticExport")));
      const jobs = (of: readonly StateResource[]): unknown[] => of.map(({ outputs }) => outputs["jobId"]);

      world.program(company(log, "v1", { name: "third", opts: "{}" }));
      expect(stepsOf(succeeded(await world.stack.preview()))).toHaveLength(8);
      expect(world.requests()).toEqual([]);
      const up = await world.up();
      expect(stepsOf(up)).toHaveLength(8);
      const made = await exports();
      expect(made).toHaveLength(6);
      expect(world.requestsSideBySide()).toEqual([...jobs(made).flatMap(wholeExport), ...reads].sort());
      for (const { urn, outputs } of made) {
        expect(outputs["__urn"]).toBe(urn);
        expect(urn.split("::")[2]).toBe(
          `test:index:Company$test:index:Department$test:index:Site$${typeOf(kind.adapter, "StaticExport")}`,
        );
        const lines = up.logs.filter((line) => line.urn === urn).map(({ message }) => message);
        expect(lines).toContainEqual(expect.stringMatching(/^NEW: /)); // on its own row
      }
      const [en, de] = [await world.exported("first-en"), await world.exported("first-de")];
      expect(en.outputs["triggers"]).toEqual([PR_LINK, PR_LINK]);
      expect(de.outputs["triggers"]).toEqual([en.outputs["jobId"]]);
      expect(up.outputs).toMatchObject({
        version: { value: "v1" },
        status: { value: { status: "deployed" } },
      });
      const release = (await world.stack.exportState()).find(({ type }) => type.endsWith(":Release"));
      expect(release?.outputs).toMatchObject({
        values: { staticExport: { enabled: true, bundleUrl: de.outputs["bundleUrl"] } },
      });
      expect(release?.secretOutputs).toContain("values");
      expect(releaseLog(log)).toEqual(["install v1"]);

      const again = await world.up();
      expect(again.summary).toEqual({ same: 16 }); // 8, 5 components around them, the installation, its release, the stack
      expect(world.requestsSideBySide()).toEqual([]);

      // the names of its exports begin with its own: they are renamed with it, and get their new URNs
      const renamed = { name: "last", opts: `{ aliases: [{ name: "third" }] }` };
      expect(stepsOf(await world.up(company(log, "v1", renamed))).sort()).toEqual([
        "update last-de",
        "update last-en",
      ]);
      expect(world.requestsSideBySide()).toEqual([]);
      const kept = await exports();
      expect(jobs(kept).sort()).toEqual(jobs(made).sort());
      expect(kept.map(({ outputs }) => outputs["__urn"])).toEqual(kept.map(({ urn }) => urn));
      expect(kept.map(({ urn }) => nameOf(urn)).sort()).toEqual(
        ["first", "last", "second"].flatMap((site) => [`${site}-de`, `${site}-en`]),
      );

      succeeded(await world.stack.refresh());
      expect(world.requestsSideBySide()).toEqual([...jobs(kept).map(poll), ...reads].sort());
      await previewIsEmpty(world);

      world.program(company(log, "v2", renamed));
      const { urn } = await world.exported("last-en");
      expect(stepsOf(succeeded(await world.stack.up({ targets: [urn] })))).toEqual(["update last-en"]);
      const target = (await world.exported("last-en")).outputs;
      expect(target["version"]).toBe("v2");
      expect(world.requestsSideBySide()).toEqual(wholeExport(target["jobId"]).sort());
      expect(releaseLog(log)).toEqual(["install v1"]);

      expect(stepsOf(await world.up())).toHaveLength(5);
      const others = (await exports()).filter((each) => each.urn !== urn);
      expect(world.requestsSideBySide()).toEqual(jobs(others).flatMap(wholeExport).sort());
      expect(releaseLog(log)).toEqual(["install v1", "upgrade v2"]);
      await previewIsEmpty(world);

      expect(stepsOf(succeeded(await world.stack.destroy()))).toHaveLength(8);
      expect(world.requestsSideBySide()).toEqual([]);
      expect(releaseLog(log).at(-1)).toBe("uninstall");
      expect(await world.stack.exportState()).toEqual([]);
    },
  );
});
