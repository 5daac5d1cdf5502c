// One larger stack, with all resources and a whole life: what each step asks of the service, counted.
import { expect, test } from "vitest";
import type { StateResource } from "../engine/index.ts";
import { poll, wholeExport } from "./requests.ts";
import { releaseLog, releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

const AGENT_JOBS = ["a1", "a2"];
const looks = AGENT_JOBS.map((id) => `GET /v2/agent/p1/job/${id}`);

/** A component of three sites with two exports each, one fed by the other, and two agent jobs, beside an installation. */
const documentation = (log: string, version: string, third: { name: string; opts: string }): string =>
  `${standInRelease(log)}
   class Site extends pulumi.ComponentResource {
     constructor(name, triggers, opts) {
       super("test:index:Site", name, {}, opts);
       const child = { parent: this };
       const version = "${version}";
       const en = new StaticExport(name + "-en", { domain: "docs.example.com", version, triggers }, child);
       this.de = new StaticExport(name + "-de", { domain: "other.example.com", version, triggers: [en.jobId] }, child);
       this.registerOutputs({});
     }
   }
   class Documentation extends pulumi.ComponentResource {
     constructor(name) {
       super("test:index:Documentation", name);
       const child = { parent: this };
       const jobs = ${JSON.stringify(AGENT_JOBS)}.map((id) => new AgentJob("agent-" + id, { projectId: "p1", id }, child));
       const triggers = jobs.map(({ prLink }) => prLink);
       this.first = new Site("first", triggers, child);
       new Site("second", triggers, child);
       new Site("${third.name}", triggers, { ...child, ...${third.opts} });
       this.registerOutputs({});
     }
   }
   const { first } = new Documentation("documentation");
   const chart = "oci://registry.invalid/docs";
   new SelfHostedDocs("site", { staticExport: first.de, chart, deploymentKind: "client-hosted" });`;

onEachEngine("a larger stack", (kind) => {
  test.concurrent(
    "C01, C02, C04, C06 three sites of two exports and two agent jobs beside an installation: up, no-op, rename, refresh, --target, destroy",
    async (context) => {
      const world = await buildWorld(context, kind);
      for (const id of AGENT_JOBS) world.service.agentJobs.set("p1", { id, status: "completed" });
      const log = releaseLogFile(context);
      const exports = (): Promise<StateResource[]> =>
        world.stack.exportState().then((all) => all.filter(({ type }) => type.endsWith(":StaticExport")));
      const jobs = (of: readonly StateResource[]): unknown[] => of.map(({ outputs }) => outputs["jobId"]);

      world.program(documentation(log, "v1", { name: "third", opts: "{}" }));
      expect(stepsOf(succeeded(await world.stack.up()))).toHaveLength(8);
      const made = await exports();
      expect(made).toHaveLength(6);
      expect(world.requestsSideBySide()).toEqual([...jobs(made).flatMap(wholeExport), ...looks].sort());
      expect(releaseLog(log)).toEqual(["install v1"]);

      const again = succeeded(await world.stack.up());
      expect(again.summary).toEqual({ same: 15 }); // 8, 4 components around them, the installation, its release, the stack
      expect(world.requestsSideBySide()).toEqual([]);

      // the names of its exports begin with its own: they are renamed with it, and take their new URNs
      const renamed = { name: "last", opts: `{ aliases: [{ name: "third" }] }` };
      world.program(documentation(log, "v1", renamed));
      expect(stepsOf(succeeded(await world.stack.up())).sort()).toEqual(["update last-de", "update last-en"]);
      expect(world.requestsSideBySide()).toEqual([]);
      const kept = await exports();
      expect(jobs(kept).sort()).toEqual(jobs(made).sort());
      expect(kept.map(({ outputs }) => outputs["__urn"])).toEqual(kept.map(({ urn }) => urn));
      expect(kept.map(({ urn }) => urn.split("::").at(-1)).sort()).toEqual(
        ["first", "last", "second"].flatMap((site) => [`${site}-de`, `${site}-en`]),
      );

      succeeded(await world.stack.refresh());
      expect(world.requestsSideBySide()).toEqual([...jobs(kept).map(poll), ...looks].sort());
      await previewIsEmpty(world);

      world.program(documentation(log, "v2", renamed));
      const { urn } = await world.exported("last-en");
      expect(stepsOf(succeeded(await world.stack.up({ targets: [urn] })))).toEqual(["update last-en"]);
      const target = (await world.exported("last-en")).outputs;
      expect(target["version"]).toBe("v2");
      expect(world.requestsSideBySide()).toEqual(wholeExport(target["jobId"]).sort());
      expect(releaseLog(log)).toEqual(["install v1"]);

      expect(stepsOf(succeeded(await world.stack.up()))).toHaveLength(5);
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
