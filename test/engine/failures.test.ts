import { afterEach, expect, it } from "vitest";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("failures", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const stateOf = async (name: string) =>
    (await world.stack.exportState()).find(({ urn }) => urn === world.urn(name));

  it("keeps what a partial failure left, shows its reasons, and continues with an update", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a", { size: 1 }); new Box("b", { of: a.label });`);
    world.order({ "create a": { unfinished: ["no lid", "no handle"] } });
    const first = await world.stack.up();

    expect(first.ok).toBe(false);
    expect(first.error).toContain("2 errors occurred");
    expect(first.text).toContain("* no lid");
    expect(first.text).toContain("* no handle");
    expect(first.steps).toContainEqual({
      op: "create",
      urn: world.urn("a"),
      error: "2 errors occurred:\n\t* no lid\n\t* no handle",
    });
    expect(world.changes()).toEqual(["create a"]);
    expect(await stateOf("a")).toMatchObject({
      id: "a",
      initErrors: ["no lid", "no handle"],
      outputs: { label: "a no. 1" },
    });

    world.order({});
    world.forgetCalls();
    const preview = await world.stack.preview();
    expect(preview.summary).toMatchObject({ update: 1, create: 1 });
    const second = await world.stack.up();

    expect(second).toMatchObject({ ok: true, summary: { update: 1, create: 1, same: 1 } });
    expect(world.changes()).toEqual(["update a", "create b"]);
    expect(await stateOf("a")).toMatchObject({ initErrors: [] });
    expect((await world.stack.up()).summary).toEqual({ same: 3 });
  });

  it("keeps the old inputs and the new outputs of an update that failed midway", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { size: 1 });`);
    await world.stack.up();
    world.program(`new Box("a", { size: 2 });`);
    world.order({ "update a": { unfinished: ["dented"] } });
    const result = await world.stack.up();

    expect(result.ok).toBe(false);
    expect(await stateOf("a")).toMatchObject({
      inputs: { size: 1 },
      outputs: { size: 2 },
      initErrors: ["dented"],
    });
  });

  it("a replacement that failed midway is continued, and the old one goes at the end", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { kind: "round" });`);
    await world.stack.up();
    world.program(`new Box("a", { kind: "square" });`);
    world.order({ "create a": { unfinished: ["no lid"] } });
    await world.stack.up();
    const between = await world.stack.exportState();
    world.order({});
    world.forgetCalls();
    const result = await world.stack.up();

    expect(between.map(({ pendingDeletion, initErrors }) => [pendingDeletion, initErrors.length])).toEqual([
      [false, 0],
      [false, 1],
      [true, 0],
    ]);
    expect(result).toMatchObject({ ok: true, summary: { update: 1 } });
    expect(world.changes()).toEqual(["update a", "delete a"]);
  });

  it("a hard failure keeps nothing, starts nothing new, and is named", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label });`);
    world.order({ "create a": { throw: "out of cardboard" } });
    const result = await world.stack.up();

    expect(result.ok).toBe(false);
    expect(result.error).toContain("out of cardboard");
    expect(result.text).toContain("out of cardboard");
    expect(result.steps).toContainEqual({ op: "create", urn: world.urn("a"), error: "out of cardboard" });
    expect(world.changes()).toEqual(["create a"]);
    expect((await world.stack.exportState()).map(({ type }) => type)).toEqual(["pulumi:pulumi:Stack"]);
  });

  it("a failed check names the property and the reason, in previews too, and changes nothing", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { size: -1 }); new Box("b", { size: 2 }, { dependsOn: [] });`);
    world.order({ "check a": { problems: [{ property: "size", reason: "must be positive" }] } });

    for (const result of [await world.stack.preview(), await world.stack.up()]) {
      expect(result.ok).toBe(false);
      expect(result.error).toContain(
        "pulumi-nodejs:dynamic/test:Box resource 'a': property size value {-1} has a problem: must be positive",
      );
      expect(result.logs.find(({ severity }) => severity === "error")?.urn).toBe(world.urn("a"));
    }
    expect(world.changes().filter((call) => call !== "create b")).toEqual([]);
  });

  it("a program that fails deletes nothing, and keeps the outputs it didn't get to", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a"); exports.one = 1;`);
    await world.stack.up();
    world.program(`throw new Error("wrong turn");`);
    const result = await world.stack.up();

    expect(result.ok).toBe(false);
    expect(result.error).toContain("wrong turn");
    expect(world.changes()).toEqual(["create a"]);
    expect(result.outputs["one"]?.value).toBe(1);
  });

  it("log.error ends a run with a failure, and its exit code is told", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a"); pulumi.log.error("not like this");`);
    const logged = await world.stack.up();
    world.program(`new Box("a"); process.exitCode = 7;`);
    const exited = await world.stack.up();

    expect(logged.logs).toContainEqual(
      expect.objectContaining({ severity: "error", message: "not like this" }),
    );
    expect(exited.ok).toBe(false);
    expect(exited.error).toMatch(/exit code: 7/);
  });

  it("refuses two resources of one name", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a"); new Box("a");`);
    const result = await world.stack.up();

    expect(result.ok).toBe(false);
    expect(result.error).toContain(`Duplicate resource URN '${world.urn("a")}'`);
  });

  it("what failed to be deleted stays, and is deleted the next time", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label });`);
    await world.stack.up();
    world.order({ "delete b": { throw: "too heavy" } });
    const first = await world.stack.destroy();
    const left = await world.stack.exportState();
    world.order({});
    const second = await world.stack.destroy();

    expect(first.ok).toBe(false);
    expect(first.error).toContain("too heavy");
    expect(left).toHaveLength(3);
    expect(second).toMatchObject({ ok: true, summary: { delete: 3 } });
  });

  it("continueOnError goes on with what doesn't depend on the failure", async () => {
    world = await createBoxWorld(kind);
    world.program(`
      const a = new Box("a"); new Box("needs-a", { of: a.label });
      const b = new Box("b"); new Box("needs-b", { of: b.label });
    `);
    world.order({ "create a": { throw: "out of cardboard" } });
    const result = await world.stack.up({ continueOnError: true });

    expect(result.ok).toBe(false);
    expect(changed(result.steps).toSorted()).toEqual(["create a", "create b", "create needs-b"]);
    expect((await world.stack.exportState()).map(({ urn }) => urn.split("::").at(-1))).toEqual([
      "test-dev",
      "b",
      "needs-b",
    ]);
  });
});
