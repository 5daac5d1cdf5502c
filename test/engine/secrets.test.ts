import { readFile } from "node:fs/promises";
import { stat } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

const canaries = ["canary-input", "canary-nested", "canary-config"];

describeEngines("secrets", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  async function expectNowhere(canaries: string[], texts: string[]) {
    for (const file of await world.stack.stateFiles()) texts.push(await readFile(file, "utf8"));
    for (const canary of canaries) {
      expect(texts.filter((text) => text.includes(canary))).toEqual([]);
    }
  }

  it("are encrypted in every file, shown nowhere, and secret again after each operation", async () => {
    world = await createBoxWorld(kind, { secretConfig: { flavour: "canary-config" } });
    world.program(`
      const a = new Box("a", {
        token: pulumi.secret("canary-input"),
        nested: { deep: pulumi.secret("canary-nested"), open: "seen" },
        list: ["seen", pulumi.secret("canary-nested")],
      }, { additionalSecretOutputs: ["label"] });
      exports.token = a.token;
      exports.within = { token: a.token };
      exports.flavour = new pulumi.Config().requireSecret("flavour");
    `);
    const secretOutputs = ["label", "list", "nested", "token"];

    const preview = await world.stack.preview();
    const up = await world.stack.up();
    expect(up.outputs).toEqual({
      token: { value: "canary-input", secret: true },
      within: { value: { token: "canary-input" }, secret: false },
      flavour: { value: "canary-config", secret: true },
    });
    await expectNowhere([...canaries, "a no. 1"], [preview.text, up.text]);
    const [, created] = await world.stack.exportState();
    expect(created?.secretInputs.toSorted()).toEqual(["list", "nested", "token"]);
    expect(created?.secretOutputs.toSorted()).toEqual(secretOutputs);
    expect(created?.outputs).toMatchObject({
      token: "canary-input",
      nested: { deep: "canary-nested", open: "seen" },
      list: ["seen", "canary-nested"],
      label: "a no. 1",
    });
    expect(world.calls().find(({ method }) => method === "create")?.news?.["token"]).toBe("canary-input");

    const refreshed = await world.stack.refresh();
    const again = await world.stack.up();
    expect(again.summary).toEqual({ same: 2 });
    await expectNowhere([...canaries, "a no. 1"], [refreshed.text, again.text]);
    const [, kept] = await world.stack.exportState();
    expect(kept?.secretOutputs.toSorted()).toEqual(secretOutputs);
  });

  it("can't be opened with another passphrase", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { token: pulumi.secret("canary-input") });`);
    await world.stack.up();

    await expect(world.reopen({ passphrase: "battery staple" })).rejects.toThrow(/incorrect passphrase/);
    await expect(world.reopen()).resolves.toBeDefined();
  });

  it("are encrypted anew with another passphrase", async () => {
    world = await createBoxWorld(kind, { secretConfig: { flavour: "canary-config" } });
    world.program(`new Box("a", { token: pulumi.secret("canary-input") });`);
    await world.stack.up();
    const state = await world.stack.exportState();
    await world.stack.changePassphrase("battery staple");

    expect(await world.stack.exportState()).toEqual(state);
    expect((await world.stack.up()).summary).toEqual({ same: 2 });
    await expect(world.reopen()).rejects.toThrow(/incorrect passphrase/);
    const reopened = await world.reopen({ passphrase: "battery staple" });
    expect(await reopened.exportState()).toEqual(state);
    await expectNowhere(canaries, []);
  });

  it("keep their marks when a state is exported, emptied and imported again", async () => {
    world = await createBoxWorld(kind);
    world.program(
      `const a = new Box("a", { token: pulumi.secret("canary-input") }); new Box("b", { of: a.label });`,
    );
    await world.stack.up();
    const state = await world.stack.exportState();
    await world.stack.importState([]);
    expect(await world.stack.exportState()).toEqual([]);
    await world.stack.importState(state);

    expect(await world.stack.exportState()).toEqual(state);
    expect((await world.stack.preview()).summary).toEqual({ same: 3 });
    await expectNowhere(canaries, []);
  });

  it.runIf(kind === "local")("are kept in files that only their owner can read", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a");`);
    await world.stack.up();
    for (const file of await world.stack.stateFiles()) {
      expect((await stat(file)).mode & 0o077).toBe(0);
    }
  });
});
