// Resources in two stacks that publish, prune, replace and destroy at the same and at neighbouring places, one after the other
// and at once, with kills between any two steps and files of others. Each step of a run is a call of the file system or a request.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AZURE_KIND, GCS_KIND, openBucket, S3_KIND } from "./bucketPlace.ts";
import { type Content, packContents } from "./contents.ts";
import { folderPlace } from "./folderPlace.ts";
import type { Place } from "./place.ts";
import { registryPlace } from "./registryPlace.ts";
import { stepFiles } from "./steppedFiles.ts";
import { publicationHistory } from "./steps.ts";
import { World } from "./world.ts";

/** Always the same by default: a random failure says nothing about the change that the check runs for. */
const seed = Number(process.env["SEED"] ?? 1);
const given = process.env["HISTORIES"];

/** In memory, where the system has such files. */
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "publications-"));
let contents: Content[] = [];
let unstep = (): void => undefined;

beforeAll(() => {
  contents = packContents(mkdtempSync(join(root, "contents-")), 3);
  unstep = stepFiles((path) => path.includes("/place-"));
});

afterAll(() => {
  unstep();
  rmSync(root, { recursive: true, force: true });
});

const PLACES: readonly {
  readonly kind: string;
  /** The number of histories in `npm test`: a few seconds. */
  readonly few: number;
  /** The same with faults. */
  readonly fewWithFaults: number;
  /** How many of the histories that HISTORIES asks for it gets. @default all */
  readonly share?: number;
  readonly open: () => Promise<(root: string) => Place>;
}[] = [
  { kind: "folders", few: 15, fewWithFaults: 10, open: () => Promise.resolve(folderPlace) },
  { kind: "a registry", few: 25, fewWithFaults: 6, open: () => Promise.resolve(registryPlace) },
  {
    kind: "a bucket of S3",
    few: 8,
    fewWithFaults: 8,
    share: 0.25,
    open: () => openBucket(S3_KIND, contents),
  },
  {
    kind: "a container of Azure",
    few: 8,
    fewWithFaults: 8,
    share: 0.25,
    open: () => openBucket(AZURE_KIND, contents),
  },
  {
    kind: "a bucket of Google",
    few: 8,
    fewWithFaults: 8,
    share: 0.25,
    open: () => openBucket(GCS_KIND, contents),
  },
];

test.each(
  PLACES.flatMap(({ fewWithFaults, ...place }) => [
    { ...place, hasFaults: false, how: "" },
    { ...place, hasFaults: true, how: "with faults", few: fewWithFaults },
  ]),
)(
  "in $kind $how, no copy that a state has is lost, nothing of others disappears, and nothing is left after the last destroy",
  { timeout: Number(given ?? 0) * 1_500 + 120_000 },
  async ({ kind, few, share = 1, open, hasFaults, how }) => {
    const placeIn = await open();
    const numRuns = given === undefined ? few : Math.ceil(Number(given) * share);
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(publicationHistory(hasFaults), async ({ resources, steps, order }) => {
        const folder = mkdtempSync(join(root, "place-"));
        const place = placeIn(join(folder, "place-"));
        const world = new World(place, contents, root, resources);
        try {
          for (const step of steps) await step.act(world);
          await world.end(order);
        } finally {
          world.close();
          place.close?.();
          rmSync(folder, { recursive: true, force: true });
        }
        for (const line of world.outcomes) seen.set(line, (seen.get(line) ?? 0) + 1);
      }),
      { numRuns, seed, ...(process.env["REPLAY"] !== undefined && { path: process.env["REPLAY"] }) },
    );
    const counts = [...seen].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`);
    console.log(`${kind} ${how}: ${numRuns} histories from seed ${seed} hold: ${counts.join(", ")}`);
    expect(counts.length).toBeGreaterThan(10);
  },
);
