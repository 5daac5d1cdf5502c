// A place knows whose content it is: no everyday operation on one owner of a place takes away what another one has, and the last
// owner leaves nothing.
import { expect, test, type TestContext } from "vitest";
import type { Setting } from "../adapters.ts";
import { folderKinds } from "./placesOfCopies.ts";
import { IMPORTS, OPERATIONS, type Operation } from "./sharedPlaceCases.ts";
import { KEPT, runCases } from "./sharedPlaceRuns.ts";
import { buildWorld, onEachEngine } from "../world.ts";

/** A case is about 100 runs: the CLI takes several seconds for each. */
const LIMIT_MS = 3_600_000;

async function expectKept(
  context: TestContext,
  setting: Setting,
  operations: readonly Operation[],
): Promise<void> {
  const world = await buildWorld(context, setting);
  const found = await runCases(world, folderKinds(world.programFolder), operations);
  const kept = Object.fromEntries(Object.keys(found).map((row) => [row, KEPT]));
  expect(found).toEqual(kept);
}

onEachEngine("shared places", (setting) => {
  test.concurrent(
    "every owner keeps its copy, the next up changes nothing, and the last destroy leaves nothing of ours",
    { timeout: LIMIT_MS },
    (context) => expectKept(context, setting, OPERATIONS),
  );
});

const ONLY = {
  adapter: "native",
  reason: "Pulumi reads what it imports without the properties, in which a dynamic resource has its provider",
} as const;

// a minute more: `npm test -- native` and `npm test -- cli` run them
if (process.env["ADAPTER"] === "native" || process.env["ENGINE"] === "cli") {
  onEachEngine({ name: "imported copies", only: ONLY }, (setting) => {
    test.concurrent(
      "a second stack that imported a copy keeps it when the first is destroyed",
      { timeout: LIMIT_MS },
      (context) => expectKept(context, setting, IMPORTS),
    );
  });
}
