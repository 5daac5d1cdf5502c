// Stacks that move from the dynamic adapter to the native one and back, from the states of all releases. States of one kind are
// in one stack, with the release in the names of their resources.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { StateResource } from "../../engine/index.ts";
import { stackType } from "../../engine/urn.ts";
import { FINISHED_AGENT_JOB } from "../finishedAgentJob.ts";
import { recordedStates, reviveState } from "../releases.ts";
import { bundle, poll } from "../requests.ts";
import {
  buildWorld,
  CANARY_KEY,
  nameOf,
  onEachEngine,
  previewIsEmpty,
  stepsOf,
  type World,
} from "../world.ts";

/** Dynamic resources find those that the native adapter has made. */
const REVERSE_ALIASES = `pulumi.runtime.registerStackTransformation(({ type, props, opts }) => {
  const former = type.replace("pulumi-nodejs:dynamic/docs-hosting:", "docs-hosting:index:");
  return { props, opts: pulumi.mergeOptions(opts, { aliases: [{ type: former }] }) };
});`;

/** Each adapter's provider has the key under another name: to a plugin it is a changed one. */
const CONFIGURED = {
  env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
  secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
};

interface Moving {
  program: string;
  /** The newest job of each state. */
  jobIds: string[];
}

/** Imports the states of one kind, of all releases, side by side. */
async function importStates(world: World, kind: string): Promise<Moving> {
  const moving: Moving = { program: "", jobIds: [] };
  const resources: StateResource[] = [];
  for (const recorded of recordedStates.filter(({ name }) => name === kind)) {
    const { release } = recorded;
    const revived = await reviveState(recorded, world.service);
    const names = revived.resources.filter(({ custom }) => custom).map(({ urn }) => urn.split("::").at(-1));
    let [program, text] = [revived.program, JSON.stringify(revived.resources)];
    for (const name of names) {
      program = program.replaceAll(`("${String(name)}"`, `("${String(name)}-${release}"`);
      text = text.replaceAll(`::${String(name)}"`, `::${String(name)}-${release}"`);
    }
    moving.program += `{ ${program} }\n`;
    moving.jobIds.push(revived.lived.jobIds.at(-1) ?? "");
    for (const resource of JSON.parse(text) as StateResource[]) {
      if (resource.type !== stackType || resources.length === 0) resources.push(resource);
    }
  }
  await world.stack.importState(resources);
  for (const { outputs } of resources) putOnThisMachine(world, outputs);
  return moving;
}

/** A copy or kit in a folder is made again where it is missing. */
function putOnThisMachine({ programFolder }: World, { uri, path }: Readonly<Record<string, unknown>>): void {
  const item = uri ?? path;
  if (typeof item === "string" && !item.includes(":")) {
    mkdirSync(resolve(programFolder, item), { recursive: true });
  }
}

const customTypes = async (world: World): Promise<string[]> =>
  (await world.stack.exportState()).filter(({ custom }) => custom).map(({ type }) => type);

/** What each resource is about, in no order. */
const made = async (world: World): Promise<string[]> =>
  (await world.stack.exportState())
    .map(({ urn, id, outputs }) => [nameOf(urn), id, outputs["jobId"]].join(" "))
    .sort();

onEachEngine({ name: "moving", only: { adapter: "native", reason: "it goes there and back" } }, (kind) => {
  test.concurrent.for(["finished", "adopted", "secret-version", "every-kind"])(
    "L21 the state «%s» of every release, from dynamic to native and back: 0 to replace, 0 to update, no request",
    async (name, context) => {
      const world = await buildWorld(context, kind, CONFIGURED);
      world.service.agentJobs.set("p1", FINISHED_AGENT_JOB);
      const { program } = await importStates(world, name);
      const before = await made(world);
      world.requests();
      const there = await world.up(program);
      expect([stepsOf(there), world.requests()]).toEqual([[], []]);
      for (const type of await customTypes(world)) expect(type).toMatch(/^docs-hosting:index:/);
      await previewIsEmpty(world);

      world.program(`${REVERSE_ALIASES}\n${program}`, "dynamic");
      const back = await world.up();
      expect([stepsOf(back), world.requests()]).toEqual([[], []]);
      for (const type of await customTypes(world)) expect(type).toMatch(/^pulumi-nodejs:dynamic/);
      expect(await made(world)).toEqual(before);
      await previewIsEmpty(world);
    },
  );

  test.concurrent.for(["unfinished-create", "unfinished-update"])(
    "L21 the state «%s» of every release, from dynamic to native and back: one update, which continues the job, and then none",
    async (name, context) => {
      const world = await buildWorld(context, kind, CONFIGURED);
      const { program, jobIds } = await importStates(world, name);
      world.requests();
      const there = await world.up(program);
      expect(there.summary).toEqual({ update: jobIds.length, same: 1 });
      expect(world.requestsSideBySide()).toEqual(jobIds.flatMap((id) => [poll(id), bundle(id)]).sort());
      await previewIsEmpty(world);

      world.program(`${REVERSE_ALIASES}\n${program}`, "dynamic");
      expect([stepsOf(await world.up()), world.requests()]).toEqual([[], []]);
    },
  );
});
