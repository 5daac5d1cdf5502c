import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

/** The arguments of a program's hooks, in the order in which they ran. */
interface HookCall {
  hook: string;
  id?: string;
  newInputs?: Record<string, unknown>;
  oldInputs?: Record<string, unknown>;
  newOutputs?: Record<string, unknown>;
  oldOutputs?: Record<string, unknown>;
  failedOperation?: string;
  errors?: string[];
}

describeEngines("hooks", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const recordFile = () => join(world.folder, "calls.json");
  const hookCalls = (): HookCall[] =>
    existsSync(recordFile())
      ? readFileSync(recordFile(), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as HookCall)
      : [];
  const forget = () => appendFileSync(recordFile(), "", { flag: "w" });
  /** `recording(name, answer)` creates a hook that records its arguments. */
  const program = (statements: string) =>
    world.program(`
      const { appendFileSync } = require("node:fs");
      const plainly = (args) => JSON.parse(JSON.stringify(args, function (key, value) {
        return pulumi.Output.isInstance(this[key]) ? "an output" : value;
      }));
      const recording = (hook, answer = () => undefined) => (args) => {
        appendFileSync(${JSON.stringify(recordFile())}, JSON.stringify({ hook, ...plainly(args) }) + "\\n");
        return answer(args);
      };
      const again = (name, answer) => new pulumi.ErrorHook(name, recording(name, answer));
      ${statements}`);

  it("run after each step, and get inputs and outputs", async () => {
    world = await createBoxWorld(kind);
    const boxOf = (size: number) =>
      program(`const recorded = (name) => [new pulumi.ResourceHook(name, recording(name))];
        new Box("a", { size: ${size}, token: pulumi.secret("shh") },
          { hooks: { afterCreate: recorded("created"), afterUpdate: recorded("updated") } });`);
    boxOf(1);
    expect((await world.stack.preview()).ok).toBe(true);
    expect(hookCalls()).toEqual([]);
    await world.stack.up();
    const [after, ...others] = hookCalls();
    expect(others).toEqual([]);
    expect(after).toMatchObject({
      hook: "created",
      id: "a",
      newInputs: { size: 1, color: "grey", token: "an output" },
      newOutputs: { label: "a no. 1" },
    });
    expect(after).not.toHaveProperty("oldInputs");

    forget();
    boxOf(2);
    await world.stack.up();
    expect(hookCalls()).toMatchObject([
      { hook: "updated", id: "a", newOutputs: { size: 2 }, oldInputs: { size: 1 }, oldOutputs: { size: 1 } },
    ]);

    forget();
    expect((await world.stack.up()).summary).toEqual({ same: 2 });
    expect(hookCalls()).toEqual([]);
  });

  it("that throw fail the run, and created resources stay", async () => {
    world = await createBoxWorld(kind);
    program(`const hook = new pulumi.ResourceHook("no", () => { throw new Error("not now"); });
      const a = new Box("a", {}, { hooks: { afterCreate: [hook] } });
      new Box("b", { of: a.label });`);
    const late = await world.stack.up();
    expect(late.ok).toBe(false);
    expect(late.error).toContain('after hook "no" failed: not now');
    expect(changed(late.steps)).toEqual(["create a"]);
    expect((await world.stack.exportState()).map(({ urn }) => urn)).toContain(world.urn("a"));
    expect(world.changes()).toEqual(["create a"]);
  });

  it("on an error are all called; one yes is enough to try again; the newest error comes first", async () => {
    world = await createBoxWorld(kind);
    world.order({ "create a": { throw: "no glue" } });
    program(`let left = 2;
      const onError = [again("again", () => left-- > 0), again("never", () => false)];
      new Box("a", { size: 1 }, { hooks: { onError } });`);
    const failed = await world.stack.up();
    expect(failed.error).toContain("no glue");
    expect(world.changes()).toEqual(["create a", "create a", "create a"]);
    expect(hookCalls().map(({ hook, errors }) => [hook, errors?.length])).toEqual([
      ["again", 1],
      ["never", 1],
      ["again", 2],
      ["never", 2],
      ["again", 3],
      ["never", 3],
    ]);
    expect(hookCalls()[0]).toMatchObject({ id: "", failedOperation: "create", newInputs: { size: 1 } });
    expect(hookCalls()[0]?.errors?.[0]).toContain("no glue");
    const warnings = failed.logs.filter(({ severity }) => severity === "warning");
    expect(warnings.map(({ message }) => message)).toEqual([
      "retrying create due to on-error hook request (1/100)",
      "retrying create due to on-error hook request (2/100)",
    ]);
    expect(await world.stack.exportState()).toHaveLength(1);
  });

  it("on an error of an update or deletion get the old values", async () => {
    world = await createBoxWorld(kind);
    const hook = `again("again", () => left-- > 0)`;
    program(`let left = 1; new Box("a", { size: 1 }, { hooks: { onError: [${hook}] } });`);
    await world.stack.up();
    world.order({ "update a": { throw: "no paint" }, "delete a": { throw: "stuck" } });
    program(`let left = 1; new Box("a", { size: 2 }, { hooks: { onError: [${hook}] } });`);
    expect((await world.stack.up()).error).toContain("no paint");
    expect(hookCalls()[1]).toMatchObject({
      failedOperation: "update",
      id: "a",
      newInputs: { size: 2 },
      oldInputs: { size: 1 },
      oldOutputs: { label: "a no. 1" },
    });
    forget();
    program(`let left = 1; ${hook};`);
    const failed = await world.stack.up();
    expect(failed.error).toContain("stuck");
    expect(
      hookCalls().map(({ failedOperation, oldInputs }) => [failedOperation, oldInputs?.["size"]]),
    ).toEqual([
      ["delete", 1],
      ["delete", 1],
    ]);
  });
});
