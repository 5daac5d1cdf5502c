import { afterEach, expect, it } from "vitest";
import { createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("transforms", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  it("change inputs and options: the resource's own first, then its parents'", async () => {
    world = await createBoxWorld(kind);
    world.program(`
      const append = (letter, options = {}) => ({ props, opts, type }) => type.endsWith(":Box")
        ? { props: { ...props, path: (props.path ?? "") + letter }, opts: { ...opts, ...options } } : undefined;
      const outer = new Shelf("outer", { transforms: [append("o")] });
      const inner = new Shelf("inner", { parent: outer, transforms: [append("i", { protect: true })] });
      new Box("a", { token: pulumi.secret("canary"), size: 1 }, { parent: inner, ignoreChanges: ["color"], transforms: [append("a", { additionalSecretOutputs: ["label"] })] });
    `);
    const up = await world.stack.up();
    expect(up.error).toBeUndefined();
    const box = (await world.stack.exportState()).find(({ type }) => type.endsWith(":Box"));
    expect(box).toMatchObject({
      inputs: { path: "aio", size: 1, token: "canary" },
      secretInputs: ["token"],
      additionalSecretOutputs: ["label"],
      protect: true,
    });
    expect((await world.stack.up()).summary).toEqual({ same: 4 });
  });
});
