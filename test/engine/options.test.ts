import { afterEach, expect, it } from "vitest";
import type { OperationResult } from "./index.ts";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("resource options", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const names = async () => (await world.stack.exportState()).map(({ urn }) => urn.split("::").at(-1));

  it("puts children under their component, and outlives a rename with aliases", async () => {
    world = await createBoxWorld(kind);
    world.program(`
      const shelf = new Shelf("shelf");
      new Box("a", {}, { parent: shelf });
      shelf.registerOutputs({ count: 1 });
    `);
    await world.stack.up();
    const state = await world.stack.exportState();
    expect(state.map(({ urn }) => urn.slice("urn:pulumi:dev::test::".length))).toEqual([
      "pulumi:pulumi:Stack::test-dev",
      "test:index:Shelf::shelf",
      "test:index:Shelf$pulumi-nodejs:dynamic/test:Box::a",
    ]);
    expect(state[1]?.outputs).toEqual({ count: 1 });

    world.program(`
      const shelf = new Shelf("rack", { aliases: [{ name: "shelf" }] });
      new Box("b", { name: "a" }, { parent: shelf, aliases: [{ name: "a" }] });
      shelf.registerOutputs({ count: 1 });
    `);
    world.forgetCalls();
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { same: 3 } });
    expect(world.changes()).toEqual([]);
    expect(await names()).toEqual(["test-dev", "rack", "b"]);
  });

  it("a component's new name reaches what is below it, and aliases of another parent are found", async () => {
    world = await createBoxWorld(kind);
    world.program(`
      const outer = new Shelf("shelf");
      const inner = new Shelf("shelf-inner", { parent: outer });
      new Box("shelf-inner-a", { name: "a" }, { parent: inner });
      new Box("b", {}, { parent: inner });
      new Box("c");
    `);
    await world.stack.up();
    world.forgetCalls();
    world.program(`
      const outer = new Shelf("rack", { aliases: [{ name: "shelf" }] });
      const inner = new Shelf("rack-inner", { parent: outer });
      new Box("rack-inner-a", { name: "a" }, { parent: inner });
      new Box("d", { name: "b" }, { aliases: [{ name: "b", parent: inner }] });
      new Box("c", {}, { parent: outer, aliases: [{ parent: pulumi.rootStackResource }] });
    `);
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { same: 6 } });
    expect(world.changes()).toEqual([]);
    expect((await names()).toSorted()).toEqual(["c", "d", "rack", "rack-inner", "rack-inner-a", "test-dev"]);
  });

  it("protect refuses deletion and replacement", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { kind: "round" }, { protect: true }); new Box("b");`);
    await world.stack.up();
    world.forgetCalls();
    world.program(`new Box("a", { kind: "square" }, { protect: true }); new Box("b");`);
    const replaced = await world.stack.up();
    expect(replaced.ok).toBe(false);
    expect(replaced.error).toContain("unable to replace resource");
    const destroyed = await world.stack.destroy();

    expect(destroyed.ok).toBe(false);
    expect(destroyed.error).toContain("cannot be deleted");
    expect(world.changes().filter((call) => call.endsWith(" a"))).toEqual([]);
    expect(await names()).toContain("a");
  });

  it("retainOnDelete forgets without deleting", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", {}, { retainOnDelete: true });`);
    await world.stack.up();
    world.forgetCalls();
    const result = await world.stack.destroy();

    expect(result).toMatchObject({ ok: true, summary: { delete: 2 } });
    expect(world.changes()).toEqual([]);
  });

  it("ignoreChanges keeps the old value, also deep inside", async () => {
    world = await createBoxWorld(kind);
    const program = (size: number, inside: number) =>
      world.program(
        `new Box("a", { size: ${size}, nested: { deep: ${inside}, other: 1 } }, { ignoreChanges: ["size", "nested.deep"] });`,
      );
    program(1, 1);
    await world.stack.up();
    world.forgetCalls();
    program(2, 2);
    const result = await world.stack.up();

    expect(result.summary).toEqual({ same: 2 });
    expect((await world.stack.exportState())[1]?.inputs).toMatchObject({
      size: 1,
      nested: { deep: 1, other: 1 },
    });
  });

  it("replaceOnChanges makes a replacement of an update", async () => {
    world = await createBoxWorld(kind);
    const program = (size: number, deep: number) =>
      world.program(
        `new Box("a", { size: ${size}, nested: { deep: ${deep}, other: 1 } }, { replaceOnChanges: ["nested.deep"] });`,
      );
    program(1, 1);
    await world.stack.up();
    program(2, 1);
    expect((await world.stack.up()).summary).toEqual({ update: 1, same: 1 });
    program(2, 2);

    expect((await world.stack.up()).summary).toEqual({ replace: 1, same: 1 });
  });

  it("deleteBeforeReplace takes along the dependants that can't survive it", async () => {
    world = await createBoxWorld(kind);
    const program = (kindOfBox: string) =>
      world.program(`
        const a = new Box("a", { kind: "${kindOfBox}" }, { deleteBeforeReplace: true });
        new Box("b", { kind: a.label });
        new Box("c", { of: a.label });
      `);
    program("round");
    await world.stack.up();
    world.forgetCalls();
    program("square");
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { replace: 2 } });
    expect(world.changes().slice(0, 3)).toEqual(["delete b", "delete a", "create a"]);
    expect(world.changes().toSorted()).toEqual(["create a", "create b", "delete a", "delete b", "update c"]);
  });

  it("targets limit an update, and a dependency left out is refused", async () => {
    world = await createBoxWorld(kind);
    world.program(
      `const a = new Box("a", { size: 1 }); new Box("b", { of: a.label }); new Box("c", { size: 1 });`,
    );
    const refused = await world.stack.up({ targets: [world.urn("b")] });
    expect(refused.ok).toBe(false);
    expect(refused.error).toContain("was not specified in --target list");
    const first = await world.stack.up({ targets: [world.urn("a")] });
    expect(first.ok).toBe(true);
    expect(await names()).toEqual(["test-dev", "a"]);
    await world.stack.up();
    world.forgetCalls();
    world.program(`const a = new Box("a", { size: 2 }); new Box("c", { size: 2 });`);
    const second = await world.stack.up({ targets: [world.urn("c")] });

    expect(second.ok).toBe(true);
    expect(world.changes()).toEqual(["update c"]);
    expect((await names()).toSorted()).toEqual(["a", "b", "c", "test-dev"]);
  });

  it("targets of a destroy take no dependants along unasked", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label }); new Box("c");`);
    await world.stack.up();
    const refused = await world.stack.destroy({ targets: [world.urn("a")] });
    const done = await world.stack.destroy({ targets: [world.urn("b"), world.urn("a")] });

    expect(refused.ok).toBe(false);
    expect(refused.error).toContain("will be destroyed but was not specified in --target list");
    expect(changed(done.steps)).toEqual(["delete b", "delete a"]);
    expect(await names()).toEqual(["test-dev", "c"]);
  });

  it("excludes spare what they name, targetDependents take along dependants, and replaces replace what is unchanged", async () => {
    world = await createBoxWorld(kind);
    const program = (size: number) =>
      world.program(
        `const a = new Box("a", { size: ${size} }); new Box("b", { of: a.label, size: ${size} }); new Box("c", { size: ${size} });`,
      );
    const changes = async (running: Promise<OperationResult>) => {
      world.forgetCalls();
      expect((await running).error).toBeUndefined();
      return world.changes();
    };
    program(1);
    await world.stack.up();
    program(2);
    const excludes = [world.urn("a")];
    expect((await changes(world.stack.up({ excludes }))).toSorted()).toEqual(["update b", "update c"]);
    program(3);
    const dependants = { targets: [world.urn("a")], targetDependents: true };
    expect(await changes(world.stack.up(dependants))).toEqual(["update a", "update b"]);
    const replaces = [world.urn("b")];
    expect((await world.stack.preview({ replaces })).summary).toEqual({ replace: 1, update: 1, same: 2 });
    expect((await changes(world.stack.up({ replaces }))).toSorted()).toEqual([
      "create b",
      "delete b",
      "update c",
    ]);
    expect((await changes(world.stack.refresh(dependants))).toSorted()).toEqual(["read a", "read b"]);
    expect(await changes(world.stack.refresh({ excludes: [...excludes, ...replaces] }))).toEqual(["read c"]);
    expect(await changes(world.stack.destroy({ excludes: replaces }))).toEqual(["delete c"]);
    expect(await changes(world.stack.destroy(dependants))).toEqual(["delete b", "delete a"]);
    expect(await names()).toEqual(["test-dev"]);
  });

  it("deletedWith: what goes with another is replaced with it, and has no deletion of its own", async () => {
    world = await createBoxWorld(kind);
    const program = (kindOfBox: string) =>
      world.program(`
        const a = new Box("a", { kind: "${kindOfBox}" });
        const shelf = new Shelf("shelf", { deletedWith: a });
        new Box("b", {}, { parent: shelf });
        new Box("c");
      `);
    program("round");
    await world.stack.up();
    world.forgetCalls();
    program("square");
    expect(await world.stack.up()).toMatchObject({ ok: true, summary: { replace: 3 } });
    expect(world.changes()).toEqual(["create a", "create b", "delete a"]);
    world.forgetCalls();
    expect(await world.stack.destroy()).toMatchObject({ ok: true, summary: { delete: 5 } });
    expect(world.changes().toSorted()).toEqual(["delete a", "delete c"]);
  });

  it("a stack reference reads the outputs of another stack, secrets as such", async () => {
    world = await createBoxWorld(kind);
    world.program(`exports.size = 7; exports.token = pulumi.secret("canary");`);
    await world.stack.up();
    const other = await world.reopen({ stack: "other" });
    world.program(`
      const dev = new pulumi.StackReference("dev", { name: "organization/test/dev" });
      new Box("a", { size: dev.requireOutput("size"), token: dev.getOutput("token"), none: dev.getOutput("none") });
      exports.token = dev.getOutput("token");
      exports.secrets = dev.secretOutputNames;
    `);
    const up = await other.up();
    expect(up.error).toBeUndefined();
    expect(up.outputs).toEqual({
      token: { value: "canary", secret: true },
      secrets: { value: ["token"], secret: false },
    });
    const [, reference, box] = await other.exportState();
    expect(reference).toMatchObject({
      external: true,
      id: "organization/test/dev",
      secretOutputs: ["outputs"],
    });
    expect(box).toMatchObject({ inputs: { size: 7, token: "canary" }, secretInputs: ["token"] });
    expect((await other.up()).summary).toMatchObject({ same: 2 });
    expect((await other.refresh()).ok).toBe(true);

    world.program(`new pulumi.StackReference("dev", { name: "organization/test/nowhere" });`);
    const lost = await other.up();
    expect(lost.ok).toBe(false);
    expect(lost.error).toContain('unknown stack "organization/test/nowhere"');
    expect((await other.destroy()).ok).toBe(true);
  });

  it(".get reads what is managed elsewhere, and never deletes it", async () => {
    world = await createBoxWorld(kind);
    world.program(`
      const found = new Box("found", {}, { id: "elsewhere" });
      exports.serial = found.serial;
    `);
    const missing = await world.stack.up();
    expect(missing.ok).toBe(true); // the dynamic host can't say otherwise
    expect(missing.outputs["serial"]).toBeUndefined();
    world.boxes.write({ elsewhere: { serial: 7 } });
    const result = await world.stack.up();

    expect(result.ok).toBe(true);
    expect(result.outputs["serial"]?.value).toBe(7);
    expect((await world.stack.exportState())[1]).toMatchObject({ external: true, id: "elsewhere" });
    world.forgetCalls();
    expect((await world.stack.destroy()).ok).toBe(true);
    expect(world.changes()).toEqual([]);
  });
});
