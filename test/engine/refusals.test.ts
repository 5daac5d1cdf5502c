import { afterEach, describe, expect, it } from "vitest";
import { createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { availableEngines } from "./index.ts";

describe("what the local engine leaves out", () => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  it("is refused by name", async () => {
    world = await createBoxWorld("local");
    world.program(`new Box("a", {}, { import: "a" });`);
    expect((await world.stack.up()).error).toContain("not supported by the test engine: import");
    world.program(`new pulumi.CustomResource("other:index:Thing", "a", {});`);
    expect((await world.stack.up()).error).toContain(
      "not supported by the test engine: resources of type other:index:Thing",
    );
    world.program(`const kubernetes = require("@pulumi/kubernetes");
      new kubernetes.helm.v3.Release("a", { chart: "./a" });`);
    const withoutHelm = await world.reopen({ env: { HELM: "/nowhere/helm" } });
    expect((await withoutHelm.up()).error).toBe(
      "not supported by the test engine: resources of type kubernetes:helm.sh/v3:Release (there is no `helm` on PATH, and HELM names none)",
    );
    world.program(`class Other extends pulumi.ProviderResource { constructor(name) { super("other", name, {}); } }
      new Other("a");`);
    expect((await world.stack.up()).error).toBe(
      "not supported by the test engine: resources of type pulumi:providers:other",
    );
    world.program(`pulumi.runtime.invoke("test:index:find", {}).then(() => {});`);
    expect((await world.stack.up()).ok).toBe(false);
    await expect(world.stack.refresh({ runProgram: true })).rejects.toThrow(
      "not supported by the test engine: runProgram",
    );
    await expect(world.stack.preview({ continueOnError: true })).rejects.toThrow("no meaning for preview");
    await expect(world.stack.up({ runProgram: true })).rejects.toThrow("no meaning for up");
  });
});

describe("the choice of engines", () => {
  it("takes the CLI when it is on PATH, unless ENGINE forces one, and gives the reason for what it leaves out", () => {
    expect(availableEngines({ PATH: "" })).toEqual({
      kinds: ["local"],
      skipped: "cli: `pulumi` is not on PATH",
    });
    expect(availableEngines({ PATH: "", ENGINE: "cli" }).kinds).toEqual(["cli"]);
    expect(availableEngines({ PATH: "", ENGINE: "local" }).kinds).toEqual(["local"]);
    expect(() => availableEngines({ ENGINE: "other" })).toThrow(/ENGINE must be/);
  });
});
