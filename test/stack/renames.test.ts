// Resources that get another URN by an alias: they, or their component, are renamed, or they move into a component and out again.
import { expect, test } from "vitest";
import { poll, readAgentJob } from "./requests.ts";
import { buildWorld, nameOf, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "./world.ts";

const MANUALS = `
  class Manuals extends pulumi.ComponentResource {
    constructor(name, opts) { super("test:index:Manuals", name, {}, opts); }
  }
  const site = (name, opts, args) => new StaticExport(name, { domain: "docs.example.com", ...args }, opts);
  const agent = (opts) => new AgentJob("agent", { projectId: "p1", id: "a1" }, opts);`;

/** Rows of all resources of the provider, by name. */
async function stored(world: World): Promise<Record<string, Record<string, unknown>>> {
  const resources = (await world.stack.exportState()).filter(({ type }) => type.includes("docs-hosting:"));
  for (const { urn, outputs } of resources) expect(outputs["__urn"]).toBe(urn); // of rows and records
  return Object.fromEntries(
    resources.map(({ urn, outputs }) => [nameOf(urn), { ...outputs, __urn: undefined }]),
  );
}

onEachEngine("renames", (kind) => {
  test.concurrent(
    "L36, C04 an export and a component are renamed, resources move into, out of and between components, also once the aliases are gone: no request, no replacement",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", { id: "a1", status: "completed" });
      const first = await world.up(`${MANUALS}
        const outer = new Manuals("manuals");
        const inner = new Manuals("manuals-inner", { parent: outer });
        const en = site("manuals-inner-en", { parent: inner });
        site("solo");
        agent({ parent: outer });
        module.exports = { urn: en.urn, link: en.bundleUrl };`);
      const before = await stored(world);
      const { agent, "manuals-inner-en": en, solo } = before;
      world.requests();

      const renamed = await world.up(`${MANUALS}
        const outer = new Manuals("handbooks", { aliases: [{ name: "manuals" }] });
        const inner = new Manuals("handbooks-inner", { parent: outer });
        const en = site("handbooks-inner-en", { parent: inner });
        site("single", { aliases: [{ name: "solo" }] });
        agent({ parent: outer });
        module.exports = { urn: en.urn, link: en.bundleUrl };`);
      expect(stepsOf(renamed).sort()).toEqual(["update handbooks-inner-en", "update single"]);
      expect(renamed.outputs["link"]).toEqual(first.outputs["link"]);
      expect(renamed.outputs["urn"]?.value).toBe((await world.exported("handbooks-inner-en")).urn);
      expect(await stored(world)).toEqual({ agent, "handbooks-inner-en": en, single: solo });
      const reported = renamed.logs.filter(({ message }) =>
        message.startsWith("SETTINGS: the resource was renamed"),
      );
      expect(reported.map(({ urn = "" }) => nameOf(urn)).sort()).toEqual(["handbooks-inner-en", "single"]);

      const up = await world.up(`${MANUALS}
        const outer = new Manuals("handbooks");
        const inner = new Manuals("handbooks-inner", { parent: outer });
        const en = site("en", { aliases: [{ name: "handbooks-inner-en", parent: inner }] });
        site("manual", { parent: outer, aliases: [{ name: "single", parent: pulumi.rootStackResource }] });
        agent({ parent: inner, aliases: [{ parent: outer }] });
        module.exports = { urn: en.urn, link: en.bundleUrl };`);
      expect(stepsOf(up).sort()).toEqual(["update agent", "update en", "update manual"]);
      expect(up.outputs["urn"]?.value).toBe((await world.exported("en")).urn);
      expect(await stored(world)).toEqual({ agent, en, manual: solo });
      expect(world.requests()).toEqual([]);
      await previewIsEmpty(world);

      expect(stepsOf(succeeded(await world.stack.refresh()))).toEqual([]);
      expect(world.requests().sort()).toEqual(
        [readAgentJob(), poll(en?.["jobId"]), poll(solo?.["jobId"])].sort(),
      );
      succeeded(await world.stack.destroy());
      expect(await world.stack.exportState()).toEqual([]);
      expect(world.requests()).toEqual([]);
    },
  );
});
