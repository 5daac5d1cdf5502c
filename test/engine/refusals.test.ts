import { afterEach, describe, expect, it } from "vitest";
import { type BoxWorld, createBoxWorld } from "./boxWorld.ts";
import { availableEngines } from "./index.ts";

describe("unsupported features of the local engine", () => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  it.each([
    [
      "resources of other packages",
      `new pulumi.CustomResource("other:index:Thing", "a", {});`,
      "resources of type other:index:Thing",
    ],
    [
      "explicit providers",
      `new (class extends pulumi.ProviderResource { constructor() { super("other", "a", {}); } })();`,
      "resources of type pulumi:providers:other",
    ],
    [
      "Helm releases without helm",
      `new (require("@pulumi/kubernetes").helm.v3.Release)("a", { chart: "./a" });`,
      "resources of type kubernetes:helm.sh/v3:Release (there is no `helm` on PATH, and HELM names none)",
    ],
    [
      "hooks before a step",
      `new Box("a", {}, { hooks: { beforeCreate: [() => {}] } });`,
      "hooks before a step or of a deletion",
    ],
    [
      "hooks that run in previews",
      `new pulumi.ResourceHook("a", () => {}, { onDryRun: true });`,
      "onDryRun and ignoreErrors of a hook",
    ],
    [
      "transforms of the stack",
      `pulumi.runtime.registerResourceTransform(() => undefined);`,
      "transforms of the stack",
    ],
    [
      "parts of values whose change replaces",
      `new Box("a", {}, { replaceOnChanges: ["nested.deep"] });`,
      "replaceOnChanges of a part of a value",
    ],
    ["functions of packages", `pulumi.runtime.invoke("test:index:find", {}).then(() => {});`, undefined],
  ])("refuses %s by name", async (_what, statements, name) => {
    world = await createBoxWorld({ env: { HELM: undefined, PATH: "" } });
    world.program(statements);
    const { ok, error } = await world.stack.up();
    expect(ok).toBe(false);
    if (name !== undefined) expect(error).toContain(`not supported by the test engine: ${name}`);
  });

  it.each([
    [
      `const a = new Box("a", { kind: "square" }, { deleteBeforeReplace: true }); new Box("b", { of: a.label });`,
      {},
    ],
    [`new Box("a", {}, { id: "elsewhere" });`, {}],
    [`new Box("a", { size: 2 }, { ignoreChanges: ["*"] });`, {}],
    [`const c = new Box("c"); new Box("a", { of: c.label });`, { excludes: "c" }],
  ])(
    "refuses programs whose resources it would damage: %s",
    async (statements, { excludes }: { excludes?: string }) => {
      world = await createBoxWorld();
      world.program(`const a = new Box("a", { kind: "round" }); new Box("b", { of: a.label });`);
      await world.stack.up();
      world.program(statements);
      const { error } = await world.stack.up(
        excludes === undefined ? {} : { excludes: [world.urn(excludes)] },
      );
      expect(error).toContain("not supported by the test engine: ");
      expect(world.changes()).toEqual(["create a", "create b"]);
    },
  );

  it("refuses inputs of a Helm release", async () => {
    world = await createBoxWorld({ env: { HELM: "helm" } });
    world.program(
      `new (require("@pulumi/kubernetes").helm.v3.Release)("a", { chart: "./a", verify: true });`,
    );
    expect((await world.stack.up()).error).toContain(
      "not supported by the test engine: verify of a Release, no name of a Release, no namespace of a Release",
    );
  });

  it("refuses options that have no meaning for an operation", async () => {
    world = await createBoxWorld();
    await expect(world.stack.refresh({ runProgram: true })).rejects.toThrow(
      "not supported by the test engine: runProgram",
    );
    await expect(world.stack.preview({ continueOnError: true })).rejects.toThrow("no meaning for preview");
  });
});

describe("the choice of engines", () => {
  it("uses the CLI when it is on PATH, unless ENGINE forces one, and gives the reason for an engine that it leaves out", () => {
    expect(availableEngines({ PATH: "" })).toEqual({
      kinds: ["local"],
      skipped: "cli: `pulumi` is not on PATH",
    });
    expect(availableEngines({ PATH: "", ENGINE: "cli" }).kinds).toEqual(["cli"]);
    expect(availableEngines({ PATH: "", ENGINE: "local" }).kinds).toEqual(["local"]);
    expect(() => availableEngines({ ENGINE: "other" })).toThrow(/ENGINE must be/);
  });
});
