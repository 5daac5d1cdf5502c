// States that earlier releases wrote, and earlier releases on states that the working tree wrote.
import { expect, test } from "vitest";
import type { OperationResult, StateResource } from "../engine/index.ts";
import { parseUrn } from "../engine/urn.ts";
import { FINISHED_AGENT_JOB } from "../stack/finishedAgentJob.ts";
import { recordedStates, releases, reviveState } from "../stack/releases.ts";
import { bundle, poll, START } from "../stack/requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "../stack/world.ts";
import { IS_SHORT, shortened } from "../suites.ts";

/** The outputs that users see: hidden ones may change from release to release. */
const visible = ({ outputs }: StateResource): Record<string, unknown> =>
  Object.fromEntries(Object.entries(outputs).filter(([name]) => !name.startsWith("__")));

async function destroyWorks(world: World): Promise<void> {
  world.requests();
  expect(stepsOf(succeeded(await world.stack.destroy()))).toEqual(["delete docs"]);
  expect(world.requests()).toEqual([]);
  expect(await world.stack.exportState()).toEqual([]);
}

/** An older release need not understand everything, but its messages must be for users. */
function worksOrFailsClearly(result: OperationResult): void {
  const replaced = stepsOf(result).filter((step) => !step.startsWith("update"));
  expect(replaced).toEqual([]);
  if (result.ok) return;
  expect(result.error).toMatch(/docs/);
  expect(result.error).not.toMatch(/TypeError|is not a function|Cannot read|undefined|Unexpected/);
}

const [newest] = releases.slice(-1);
const tested = recordedStates.filter(({ release }) => !IS_SHORT || release === newest?.release);
const unfinished = tested.filter(({ name }) => name.startsWith("unfinished"));
const everyKind = tested.filter(({ name }) => name === "every-kind");
const finished = tested.filter((state) => !unfinished.includes(state) && !everyKind.includes(state));

onEachEngine("earlier releases", (kind) => {
  test("there are states of every release", () => {
    const recorded = new Set(recordedStates.map(({ release }) => release));
    expect([...recorded].sort()).toEqual(releases.map(({ release }) => release).sort());
  });

  test.concurrent.for(finished)(
    "L21, I11 the state «$name» of $release: up and refresh change nothing and start nothing, destroy works",
    async (recorded, context) => {
      const world = await buildWorld(context, kind);
      const { program, resources } = await reviveState(recorded, world.service);
      world.program(program);
      await world.stack.importState(resources);
      const before = await world.exported();

      world.requests();
      expect(stepsOf(await world.up())).toEqual([]);
      expect(world.requests()).toEqual([]);
      succeeded(await world.stack.refresh());
      expect(world.requests()).toEqual([poll(before.outputs["jobId"])]);
      const after = await world.exported();
      expect(visible(after)).toEqual(visible(before));
      expect(after.secretOutputs).toEqual(before.secretOutputs);
      await previewIsEmpty(world);
      await destroyWorks(world);
    },
  );

  test.concurrent.for(everyKind)(
    "L21 the state «$name» of $release: up only makes copies and kits again that are not on this machine, destroy works",
    async (recorded, context) => {
      const world = await buildWorld(context, kind);
      world.service.agentJobs.set("p1", FINISHED_AGENT_JOB);
      const { program, resources } = await reviveState(recorded, world.service);
      world.program(program);
      await world.stack.importState(resources);
      world.requests();
      // here nothing was ever copied, and no kit written
      const gone = resources.filter(({ type }) => /:(BundleCopy|AirGapKit)$/.test(type));
      expect(gone).not.toEqual([]);
      const updates = gone.map(({ urn }) => `update ${parseUrn(urn).name}`);
      expect(stepsOf(await world.up()).sort()).toEqual(updates.sort());
      expect(world.requests()).not.toContain(START);
      await previewIsEmpty(world);
      world.requests();
      succeeded(await world.stack.destroy());
      expect(world.requests()).toEqual([]);
      expect(await world.stack.exportState()).toEqual([]);
    },
  );

  test.concurrent.for(
    unfinished.flatMap((recorded) => [
      { ...recorded, refreshed: false, after: "as it is" },
      { ...recorded, refreshed: true, after: "refreshed" },
    ]),
  )("L21 the state «$name» of $release, $after: up continues its job", async (recorded, context) => {
    const world = await buildWorld(context, kind);
    const { program, resources, lived } = await reviveState(recorded, world.service);
    const jobId = lived.jobIds.at(-1);
    world.program(program);
    await world.stack.importState(resources);
    if (recorded.refreshed) succeeded(await world.stack.refresh());
    world.requests();
    expect(stepsOf(await world.up())).toEqual(["update docs"]);
    expect(world.requests()).toEqual([poll(jobId), bundle(jobId)]);
    expect((await world.exported()).outputs).toMatchObject({ jobId, status: "completed" });
    await previewIsEmpty(world);
  });

  test.concurrent.for(unfinished)(
    "L21 the state «$name» of $release: destroy works",
    async (recorded, context) => {
      const world = await buildWorld(context, kind);
      const { resources } = await reviveState(recorded, world.service);
      await world.stack.importState(resources);
      await destroyWorks(world);
    },
  );

  // users downgrade at most to the release before, or the one before that
  const before = shortened(releases.slice(-2).reverse());
  const program = `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1", triggers: ["a"] });
    module.exports = { link: docs.bundleUrl, version: docs.version };`;

  test.concurrent.for(before)(
    "L22 downgrade to $release and back: it works or fails clearly, and the job and its link stay",
    async ({ tarball }, context) => {
      const world = await buildWorld(context, kind);
      await world.up(program);
      const before = await world.exported();
      world.requests();

      world.usePackage(tarball);
      for (const operation of ["preview", "up", "refresh"] as const) {
        worksOrFailsClearly(await world.stack[operation]());
        expect(visible(await world.exported())).toEqual(visible(before));
      }
      expect(world.requests()).not.toContain(START);
      world.usePackage();
      await previewIsEmpty(world);
      expect(visible(await world.exported())).toEqual(visible(before));

      world.usePackage(tarball);
      const destroy = await world.stack.destroy();
      if (destroy.ok) return expect(await world.stack.exportState()).toEqual([]);
      expect(destroy.error).toMatch(/docs/);
      expect(visible(await world.exported())).toEqual(visible(before));
    },
  );

  test.concurrent.for(before)(
    "L22 downgrade to $release while an export is unfinished: its job is not lost, and no second one starts",
    async ({ tarball }, context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      world.program(
        `new StaticExport("docs", { domain: "docs.example.com" }, { customTimeouts: { create: "4s", update: "1m" } });`,
      );
      expect((await world.stack.up()).error).toContain("Nothing is lost");
      const { jobId } = (await world.exported()).outputs;
      world.requests();
      letJobsEnd();

      world.usePackage(tarball);
      worksOrFailsClearly(await world.stack.up());
      world.usePackage();
      await world.up();
      expect((await world.exported()).outputs).toMatchObject({ jobId, status: "completed" });
      expect(world.requests()).not.toContain(START);
      await previewIsEmpty(world);
    },
  );
});
