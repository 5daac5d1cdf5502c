// A place knows whose content it is: no everyday operation on one owner of a place takes away what another one has, and the last
// owner leaves nothing.
import { expect, test, type TestContext } from "vitest";
import { startBucketStub } from "../../simulation/bucketStub.ts";
import { startRegistryServer } from "../../simulation/registryStub.ts";
import type { Setting } from "../adapters.ts";
import { bucketKinds, folderKinds, PLACE_ENV, repositoryKinds, type PlaceKind } from "./placesOfCopies.ts";
import { IMPORTS, OPERATIONS, type Operation } from "./sharedPlaceCases.ts";
import { KEPT, runCases } from "./sharedPlaceRuns.ts";
import { buildWorld, onEachEngine, type World } from "../world.ts";

type Kinds = (context: Pick<TestContext, "onTestFinished">, world: World) => Promise<PlaceKind[]>;

const PLACES: readonly (readonly [name: string, kinds: Kinds])[] = [
  ["folders", (_context, { programFolder }) => Promise.resolve(folderKinds(programFolder))],
  ["buckets", async (context) => bucketKinds(await startBucketStub(context))],
  ["registries", async (context) => repositoryKinds(await startRegistryServer(context))],
];

/** A case is about 100 runs: the CLI takes several seconds for each. */
const LIMIT_MS = 3_600_000;

async function expectKept(
  context: TestContext,
  setting: Setting,
  kinds: Kinds,
  operations: readonly Operation[],
): Promise<void> {
  const world = await buildWorld(context, setting, { env: PLACE_ENV });
  const found = await runCases(world, await kinds(context, world), operations);
  const kept = Object.fromEntries(Object.keys(found).map((row) => [row, KEPT]));
  expect(found).toEqual(kept);
}

onEachEngine("shared places", (setting) => {
  test.concurrent.for(PLACES)(
    "in %s, every owner keeps its copy, the next up changes nothing, and the last destroy leaves nothing of ours",
    { timeout: LIMIT_MS },
    ([, kinds], context) => expectKept(context, setting, kinds, OPERATIONS),
  );
});

const ONLY = {
  adapter: "native",
  reason: "Pulumi reads what it imports without the properties, in which a dynamic resource has its provider",
} as const;

// a minute more: `npm run test:native` and `npm run test:cli` run them
if (process.env["ADAPTER"] === "native" || process.env["ENGINE"] === "cli") {
  onEachEngine({ name: "imported copies", only: ONLY }, (setting) => {
    test.concurrent.for(PLACES)(
      "in %s, a second stack that imported a copy keeps it when the first is destroyed",
      { timeout: LIMIT_MS },
      ([, kinds], context) => expectKept(context, setting, kinds, IMPORTS),
    );
  });
}
