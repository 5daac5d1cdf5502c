import { afterAll, beforeAll, expect, it } from "vitest";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";
import { unknownValue, type StateResource } from "./index.ts";

const two = (size: number, kind = "light") => `
  const a = new Box("a", { size: ${size}, kind: "${kind}" });
  const b = new Box("b", { of: a.label });
  exports.label = a.label;
  exports.size = a.size;
`;

const byName = (state: StateResource[], name: string) => state.find(({ urn }) => urn.endsWith(`::${name}`));

describeEngines("the life of a stack", (kind) => {
  let world: BoxWorld;
  beforeAll(async () => {
    world = await createBoxWorld(kind, { config: { flavour: "oak" } });
    world.program(two(1));
  });
  afterAll(() => world.remove());

  it("previews a creation without creating, and what is not an input is unknown", async () => {
    const result = await world.stack.preview();

    expect(result).toMatchObject({ ok: true, summary: { create: 3 } });
    expect(changed(result.steps)).toEqual(["create a", "create b"]);
    expect(result.outputs["label"]).toEqual({ value: unknownValue, secret: false });
    expect(world.changes()).toEqual([]);
    expect(await world.stack.exportState()).toEqual([]);
    const checked = world.calls().find(({ method, name }) => method === "check" && name === "b");
    expect(checked?.news?.["of"]).toBe(unknownValue);
  });

  it("creates in dependency order and keeps what was made", async () => {
    world.forgetCalls();
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { create: 3 } });
    expect(result.outputs).toEqual({
      label: { value: "a no. 1", secret: false },
      size: { value: 1, secret: false },
    });
    expect(result.text).toContain("pulumi-nodejs:dynamic/test:Box a creat");
    expect(result.text).toMatch(/label\s*: "a no. 1"/);
    expect(world.changes()).toEqual(["create a", "create b"]);

    const state = await world.stack.exportState();
    expect(state.map(({ urn }) => urn.split("::").at(-1))).toEqual(["test-dev", "a", "b"]);
    expect(byName(state, "b")).toMatchObject({
      id: "b",
      custom: true,
      parent: "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev",
      inputs: { name: "b", of: "a no. 1", color: "grey" },
      outputs: { label: "b no. 1", serial: 1 },
      dependencies: [world.urn("a")],
      propertyDependencies: { of: [world.urn("a")] },
      initErrors: [],
    });
  });

  it("gives the provider the whole configuration", () => {
    expect(world.calls().find(({ method }) => method === "create")?.config).toBe("oak");
  });

  it("does nothing when nothing changed", async () => {
    world.forgetCalls();
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { same: 3 } });
    expect(world.changes()).toEqual([]);
  });

  it("asks the provider for a diff even then, with the old outputs", () => {
    const diffs = world.calls().filter(({ method, phase }) => method === "diff" && phase === "start");
    expect(diffs.map(({ name, olds }) => [name, olds?.["serial"]])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("updates in place, and names the input that changed", async () => {
    world.forgetCalls();
    world.program(two(2));
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { update: 1, same: 2 } });
    expect(result.steps).toContainEqual({ op: "update", urn: world.urn("a"), diff: ["size"] });
    expect(world.changes()).toEqual(["update a"]);
    expect(result.outputs["size"]?.value).toBe(2);
  });

  it("replaces by creating first, then the dependants, and deletes last", async () => {
    world.forgetCalls();
    world.program(two(2, "square"));
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { replace: 1, update: 1, same: 1 } });
    expect(changed(result.steps)).toEqual([
      "create-replacement a",
      "replace a",
      "update b",
      "delete-replaced a",
    ]);
    expect(world.changes()).toEqual(["create a", "update b", "delete a"]);
    expect(await world.stack.exportState()).toHaveLength(3);
  });

  it("deletes before it creates, where the provider wants it", async () => {
    world.forgetCalls();
    world.program(two(2, "heavy"));
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { replace: 1, update: 1 } });
    expect(changed(result.steps)).toEqual([
      "delete-replaced a",
      "replace a",
      "create-replacement a",
      "update b",
    ]);
    expect(world.changes()).toEqual(["delete a", "create a", "update b"]);
  });

  it("deletes what vanished from the program, after what depended on it", async () => {
    world.forgetCalls();
    world.program(`new Box("c")`);
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { create: 1, delete: 2, same: 1 } });
    expect(world.changes()).toEqual(["create c", "delete b", "delete a"]);
    expect(result.outputs).toEqual({});
  });

  it("destroys in reverse dependency order without running the program", async () => {
    world.program(two(1));
    await world.stack.up();
    world.forgetCalls();
    world.program(`throw new Error("not to be run")`);
    const result = await world.stack.destroy();

    expect(result).toMatchObject({ ok: true, summary: { delete: 3 } });
    expect(world.changes()).toEqual(["delete b", "delete a"]);
    expect(await world.stack.exportState()).toEqual([]);
  });
});
