// Pulumi's resource options and targets, and what they make the provider do.
import { expect, test } from "vitest";
import type { OperationResult } from "../engine/index.ts";
import { bundle, START, wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

const docs = (args: string, options = "{}"): string =>
  `new StaticExport("docs", { domain: "docs.example.com", ${args} }, ${options});`;

onEachEngine("resource options", (kind) => {
  test.concurrent(
    "L25 a protected resource is not replaced, and no job is started for it",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (domain: string): void =>
        world.program(`new StaticExport("docs", { domain: "${domain}" }, { protect: true });`);
      program("docs.example.com");
      succeeded(await world.stack.up());
      const before = await world.exported();
      expect(before.protect).toBe(true);
      world.requests();
      program("other.example.com");
      for (const operation of ["preview", "up"] as const) {
        const { ok, error } = await world.stack[operation]();
        expect(ok).toBe(false);
        expect(error).toContain("unable to replace resource");
        expect(error).toContain("protect");
      }
      expect(world.requests()).toEqual([]);
      expect((await world.exported()).outputs).toEqual(before.outputs);
      program("docs.example.com");
      await previewIsEmpty(world);
    },
  );

  test.concurrent("L26 a target among three: only its calls", async (context) => {
    const world = await buildWorld(context, kind);
    const program = (version: string): void =>
      world.program(
        `for (const name of ["one", "two", "three"])
           new StaticExport(name, { domain: "docs.example.com", version: "${version}" });`,
      );
    program("v1");
    succeeded(await world.stack.up());
    const [one, two, three] = await Promise.all(["one", "two", "three"].map((name) => world.exported(name)));
    world.requests();
    program("v2");
    const targets = [two?.urn ?? ""];
    expect(stepsOf(succeeded(await world.stack.preview({ targets })))).toEqual(["update two"]);
    expect(stepsOf(succeeded(await world.stack.up({ targets })))).toEqual(["update two"]);
    const { outputs } = await world.exported("two");
    expect(world.requests()).toEqual(wholeExport(outputs["jobId"]));
    expect(outputs["version"]).toBe("v2");
    expect((await world.exported("one")).outputs).toEqual(one?.outputs);
    expect((await world.exported("three")).outputs).toEqual(three?.outputs);

    const rest = stepsOf(succeeded(await world.stack.up()));
    expect([...rest].sort()).toEqual(["update one", "update three"]);
    await previewIsEmpty(world);
  });

  test.concurrent("L34 ignoreChanges: another version or trigger is not exported", async (context) => {
    const world = await buildWorld(context, kind);
    const options = `{ ignoreChanges: ["version", "triggers[0]"] }`;
    world.program(docs(`version: "v1", triggers: ["a"]`, options));
    succeeded(await world.stack.up());
    const before = await world.exported();
    world.requests();
    world.program(docs(`version: "v2", triggers: ["b"]`, options));
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
    expect(world.requests()).toEqual([]);
    expect((await world.exported()).outputs).toEqual(before.outputs);
    await previewIsEmpty(world);
  });

  test.concurrent("L34 replaceOnChanges: another version is a replacement", async (context) => {
    const world = await buildWorld(context, kind);
    const options = `{ replaceOnChanges: ["version"] }`;
    world.program(docs(`version: "v1"`, options));
    succeeded(await world.stack.up());
    const before = await world.exported();
    world.requests();
    world.program(docs(`version: "v2"`, options));
    const up = succeeded(await world.stack.up());
    expect(up.summary.replace).toBe(1);
    const { outputs } = await world.exported();
    expect(world.requests()).toEqual(wholeExport(outputs["jobId"]));
    expect(outputs["jobId"]).not.toBe(before.outputs["jobId"]);
    expect(outputs["version"]).toBe("v2");
    await previewIsEmpty(world);
  });

  test.concurrent(
    "L35 deleteBeforeReplace: the old one goes first, and only the new one is exported",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (domain: string): void =>
        world.program(`new StaticExport("docs", { domain: "${domain}" }, { deleteBeforeReplace: true });`);
      program("docs.example.com");
      succeeded(await world.stack.up());
      world.requests();
      program("other.example.com");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual([
        "delete-replaced docs",
        "replace docs",
        "create-replacement docs",
      ]);
      const { id, outputs } = await world.exported();
      expect(id).toBe("other.example.com");
      expect(world.requests()).toEqual(wholeExport(outputs["jobId"]));
      await previewIsEmpty(world);
    },
  );

  test.concurrent("L35 retainOnDelete: the state is forgotten, and nobody is asked", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(docs("", `{ retainOnDelete: true }`));
    succeeded(await world.stack.up());
    expect((await world.exported()).retainOnDelete).toBe(true);
    world.requests();
    world.program("");
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["delete docs"]);
    expect(world.requests()).toEqual([]);
    await expect(world.exported()).rejects.toThrow("0 resources StaticExport");
    await previewIsEmpty(world);
  });

  test.concurrent(
    "C05 options of a resource and of its component are obeyed: transforms, dependsOn, deletedWith, secrets, hooks and the rest",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (anchorDomain: string, version: string): void =>
        world.program(`
          class Manuals extends pulumi.ComponentResource {
            constructor(name, opts) { super("test:index:Manuals", name, {}, opts); }
          }
          const site = (name, opts) =>
            new StaticExport(name, { domain: "docs.example.com", version: "${version}" }, opts);
          const told = new pulumi.ResourceHook("told", ({ urn }) => console.log("hook of " + urn.split("::").at(-1)));
          const triggered = (trigger) => ({ type, props, opts }) => type.endsWith(":StaticExport")
            ? { props: { ...props, triggers: [...(props.triggers ?? []), trigger] }, opts } : undefined;
          const anchor = new StaticExport("anchor", { domain: "${anchorDomain}" });
          const manuals = new Manuals("manuals", {
            dependsOn: [anchor], deletedWith: anchor, retainOnDelete: true, hooks: { afterCreate: [told] },
            transforms: [triggered("of the component")], ignoreChanges: ["version"],
          });
          site("docs", {
            parent: manuals, ignoreChanges: ["version"], additionalSecretOutputs: ["jobId"],
            hooks: { afterCreate: [told], afterUpdate: [told] }, transforms: [triggered("of the resource")],
          });
          site("free", { parent: new Manuals("inner", { parent: manuals }), hooks: { afterUpdate: [told] } });
          site("kept", { parent: new Manuals("guarded", { protect: true }) });`);
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

      program("other.example.com", "v1");
      const created = succeeded(await world.stack.up());
      expect(hooksOf(created).sort()).toEqual(["hook of docs", "hook of manuals"]);
      const [anchor, docs, free, kept] = await Promise.all(names.map((name) => world.exported(name)));
      // nothing of the component is begun before what it depends on is there
      const asked = posts();
      const beforeAnchor = asked.slice(0, asked.indexOf(bundle(anchor?.outputs["jobId"])));
      expect(beforeAnchor.filter((request) => request === START).length).toBeLessThanOrEqual(2);
      expect(asked).toHaveLength(8); // of each a start and a link
      expect(docs?.outputs["triggers"]).toEqual(["of the resource", "of the component"]);
      expect(free?.outputs["triggers"]).toEqual(["of the component"]);
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

      // a component hands ignoreChanges down to nobody
      program("other.example.com", "v2");
      const updated = succeeded(await world.stack.up());
      expect(stepsOf(updated).sort()).toEqual(["update free", "update kept"]);
      expect(hooksOf(updated)).toEqual(["hook of free"]);
      expect(posts()).toHaveLength(4);
      const before = await jobs();

      // what is deleted with another is replaced with it
      program("docs.example.com", "v2");
      expect(succeeded(await world.stack.up()).summary.replace).toBe(5);
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
});
