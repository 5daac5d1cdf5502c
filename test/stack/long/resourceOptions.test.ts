// Pulumi's resource options, and their effects on the provider.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OperationResult } from "../../engine/index.ts";
import { bundle, START, wholeExport } from "../requests.ts";
import { buildWorld, cliOnly, onEachEngine, previewIsEmpty, stepsOf } from "../world.ts";

onEachEngine("resource options", (kind) => {
  test.concurrent(
    "L25, L34, L35 protect, ignoreChanges, replaceOnChanges, deleteBeforeReplace and retainOnDelete are obeyed: only what they allow is exported",
    async (context) => {
      const world = await buildWorld(context, kind);
      const BEFORE = { version: "v1", trigger: "a", domain: "docs.example.com" };
      const AFTER = { version: "v2", trigger: "b", domain: "other.example.com" };
      const program = (args: typeof BEFORE, protectedDomain = "docs.example.com"): string =>
        `const { version, trigger, domain } = ${JSON.stringify(args)};
         const site = (name, args, opts) => new StaticExport(name, { domain: "docs.example.com", ...args }, opts);
         site("protected", { domain: "${protectedDomain}" }, { protect: true });
         site("ignoring", { version, triggers: [trigger] }, { ignoreChanges: ["version", "triggers[0]"] });
         site("replaced", { version }, { replaceOnChanges: ["version"] });
         site("deletedFirst", { domain }, { deleteBeforeReplace: true });
         if (version === "v1") site("retained", {}, { retainOnDelete: true });`;
      await world.up(program(BEFORE));
      const ignoring = await world.exported("ignoring");
      const replaced = await world.exported("replaced");
      const guarded = await world.exported("protected");
      expect(guarded.protect).toBe(true);
      expect((await world.exported("retained")).retainOnDelete).toBe(true);
      world.requests();

      const steps = stepsOf(await world.up(program(AFTER)));
      const of = (name: string): string[] => steps.filter((step) => step.endsWith(` ${name}`));
      expect(of("replaced")).toEqual([
        "create-replacement replaced",
        "replace replaced",
        "delete-replaced replaced",
      ]);
      expect(of("deletedFirst")).toEqual([
        "delete-replaced deletedFirst",
        "replace deletedFirst",
        "create-replacement deletedFirst",
      ]);
      expect(of("retained")).toEqual(["delete retained"]);
      expect(steps).toHaveLength(7);
      const made = [await world.exported("replaced"), await world.exported("deletedFirst")];
      const jobs = made.map(({ outputs }) => outputs["jobId"]);
      expect(world.requestsSideBySide()).toEqual(jobs.flatMap(wholeExport).sort());
      expect(jobs).not.toContain(replaced.outputs["jobId"]);
      expect(made.map(({ id }) => id)).toEqual(["docs.example.com", "other.example.com"]);
      expect((await world.exported("ignoring")).outputs).toEqual(ignoring.outputs);
      await expect(world.exported("retained")).rejects.toThrow("0 resources StaticExport");

      world.program(program(AFTER, "other.example.com"));
      const refused = await world.stack.up();
      expect(refused.ok).toBe(false);
      expect(refused.error).toContain("unable to replace resource");
      expect(refused.error).toContain("protect");
      expect(world.requests()).toEqual([]);
      expect((await world.exported("protected")).outputs).toEqual(guarded.outputs);
      world.program(program(AFTER));
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "C05 options of a resource and of its component are obeyed: dependsOn, deletedWith, secrets, hooks and the rest",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (anchorDomain: string, version: string): string => `
          class Manuals extends pulumi.ComponentResource {
            constructor(name, opts) { super("test:index:Manuals", name, {}, opts); }
          }
          const site = (name, opts) =>
            new StaticExport(name, { domain: "docs.example.com", version: "${version}" }, opts);
          const hook = new pulumi.ResourceHook("hook", ({ urn }) => console.log("hook of " + urn.split("::").at(-1)));
          const anchor = new StaticExport("anchor", { domain: "${anchorDomain}" });
          const manuals = new Manuals("manuals", {
            dependsOn: [anchor], deletedWith: anchor, retainOnDelete: true, hooks: { afterCreate: [hook] },
            ignoreChanges: ["version"],
          });
          site("docs", {
            parent: manuals, ignoreChanges: ["version"], additionalSecretOutputs: ["jobId"],
            hooks: { afterCreate: [hook], afterUpdate: [hook] },
          });
          site("free", { parent: new Manuals("inner", { parent: manuals }), hooks: { afterUpdate: [hook] } });
          site("kept", { parent: new Manuals("guarded", { protect: true }) });`;
      let counted = 0;
      const posts = (): string[] => {
        const all = world.service.requests.filter(({ method }) => method === "POST");
        const since = all.slice(counted).map(({ method, path }) => `${method} ${path}`);
        counted = all.length;
        return since;
      };
      const hooksOf = ({ logs }: OperationResult): string[] =>
        logs.map(({ message }) => message).filter((message) => message.startsWith("hook of "));
      const names = ["anchor", "docs", "free", "kept"];
      const jobs = async (): Promise<unknown[]> =>
        Promise.all(names.map(async (name) => (await world.exported(name)).outputs["jobId"]));

      const created = await world.up(program("other.example.com", "v1"));
      expect(hooksOf(created).sort()).toEqual(["hook of docs", "hook of manuals"]);
      const [anchor, docs, free, kept] = await Promise.all(names.map((name) => world.exported(name)));
      // nothing of the component begins before its dependency exists
      const asked = posts();
      const beforeAnchor = asked.slice(0, asked.indexOf(bundle(anchor?.outputs["jobId"])));
      expect(beforeAnchor.filter((request) => request === START).length).toBeLessThanOrEqual(2);
      expect(asked).toHaveLength(8); // a start and a link of each
      expect(docs?.secretOutputs).toEqual(expect.arrayContaining(["bundleUrl", "jobId"]));
      expect([anchor, docs, free, kept].map((resource) => resource?.retainOnDelete)).toEqual([
        false,
        true,
        true,
        false,
      ]);
      expect([anchor, docs, free, kept].map((resource) => resource?.protect)).toEqual([
        false,
        false,
        false,
        true,
      ]);

      // a component does not pass on ignoreChanges
      const updated = await world.up(program("other.example.com", "v2"));
      expect(stepsOf(updated).sort()).toEqual(["update free", "update kept"]);
      expect(hooksOf(updated)).toEqual(["hook of free"]);
      expect(posts()).toHaveLength(4);
      const before = await jobs();

      // a resource that is deleted with another is replaced with it
      expect((await world.up(program("docs.example.com", "v2"))).summary.replace).toBe(5);
      const after = await jobs();
      expect(after.map((job, at) => job === before[at])).toEqual([false, false, false, true]);
      expect(posts()).toHaveLength(6);
      await previewIsEmpty(world);

      const refused = await world.stack.destroy();
      expect(refused.error).toContain("cannot be deleted");
      await expect(world.exported("kept")).resolves.toMatchObject({ protect: true });
      expect(posts()).toEqual([]);
    },
  );

  test.concurrent.for([
    ["of a transformation of the stack", `pulumi.runtime.registerStackTransformation(limit);`, ""],
    ["of a transformation of a component", "", `{ transformations: [limit] }`],
    ["of a transform of the stack", `pulumi.runtime.registerResourceTransform(limit);`, ""],
  ] as const)("F4 customTimeouts %s limit create and update", async ([how, statement, options], context) => {
    if (how === "of a transform of the stack") {
      cliOnly(context, kind, "the test engine has no transforms of the stack");
    }
    const world = await buildWorld(context, kind, {
      env: { NODE_OPTIONS: `--import ${join(import.meta.dirname, "../fastClock.ts")}`, CLOCK_SPEED: "10" },
    });
    world.holdJobs();
    world.program(
      `const limit = ({ type, props, opts }) =>
         type.endsWith(":StaticExport")
           ? { props, opts: { ...opts, customTimeouts: { create: "30s", update: "40s" } } }
           : undefined;
       ${statement}
       const parent = new pulumi.ComponentResource("x:y:C", "c", {}, ${options || "{}"});
       new StaticExport("docs", { domain: "docs.example.com" }, { parent, customTimeouts: { create: "1h" } });`,
    );
    expect((await world.stack.up()).error).toContain("the time limit of 30s passed");
    expect((await world.stack.up()).error).toContain("the time limit of 40s passed");
  });
});
