// A create, an update and a destroy that are killed at each of their steps (calls of the file system, or requests). The next runs are on
// the same machine, or on another one, which has no records of the killed run. HISTORIES: every step, in place of every 19th.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AZURE_KIND, GCS_KIND, openBucket, S3_KIND } from "./bucketPlace.ts";
import { type Content, packContents } from "./contents.ts";
import { folderPlace } from "./folderPlace.ts";
import type { Place } from "./place.ts";
import { registryPlace } from "./registryPlace.ts";
import type { Action } from "./resource.ts";
import { stepFiles } from "./steppedFiles.ts";
import { World } from "./world.ts";

const isWhole = process.env["HISTORIES"] !== undefined;
const STRIDE = isWhole ? 1 : 19;

const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "kills-"));
let contents: Content[] = [];
let unstep = (): void => undefined;
beforeAll(() => {
  contents = packContents(mkdtempSync(join(root, "contents-")), 2);
  unstep = stepFiles((path) => path.includes("/place-"));
});
afterAll(() => {
  unstep();
  rmSync(root, { recursive: true, force: true });
});

const FIRST: Action = { kind: "up", content: 0, keep: 0 };

/** What is killed, and what happened before it. */
const KILLED: Readonly<Record<string, readonly [before: readonly Action[], killed: Action]>> = {
  "a create": [[], FIRST],
  "an update": [[FIRST], { kind: "up", content: 1, keep: 0 }],
  "a destroy": [[FIRST], { kind: "destroy" }],
};

/** By the variants that the kinds of places have, see `Place.destination`. */
const PLACES: Readonly<
  Record<string, readonly [variant: number, open: () => Promise<(root: string) => Place>]>
> = {
  "a folder with archives": [0, () => Promise.resolve(folderPlace)],
  "a folder with sites": [1, () => Promise.resolve(folderPlace)],
  "a bucket of S3 with archives": [0, () => openBucket(S3_KIND, contents)],
  "a bucket of S3 with a site": [1, () => openBucket(S3_KIND, contents)],
  "a container of Azure with archives": [0, () => openBucket(AZURE_KIND, contents)],
  "a container of Azure with a site": [1, () => openBucket(AZURE_KIND, contents)],
  "a bucket of Google with archives": [0, () => openBucket(GCS_KIND, contents)],
  "a bucket of Google with a site": [1, () => openBucket(GCS_KIND, contents)],
  "a repository with a tag": [0, () => Promise.resolve(registryPlace)],
  "a repository": [3, () => Promise.resolve(registryPlace)],
};

describe.each(Object.entries(PLACES))("in %s", (_place, [variant, open]) => {
  test.each(
    Object.entries(KILLED).flatMap(([what, [before, killed]]) =>
      [false, true].map((isElsewhere) => ({
        what,
        before,
        killed,
        isElsewhere,
        machine: isElsewhere ? "another" : "the same",
      })),
    ),
  )(
    "$what that is killed at any step is repaired by the next run on $machine machine",
    { timeout: 300_000 },
    async ({ before, killed, isElsewhere }) => {
      const placeIn = await open();
      let steps = 0;
      for (let isKilled = true, kill = 0; isKilled; kill += STRIDE) {
        const folder = mkdtempSync(join(root, "place-"));
        const place = placeIn(join(folder, "place-"));
        const world = new World(place, contents, root, [{ spot: "same", variant }]);
        try {
          for (const action of before) await world.run([{ resource: 0, action }]);
          await world.run([{ resource: 0, action: killed, kill }]);
          isKilled = world.outcomes.at(-1)?.includes("killed") === true;
          if (isElsewhere) world.moveMachine(0);
          await world.end([0]);
        } finally {
          world.close();
          place.close?.();
          rmSync(folder, { recursive: true, force: true });
        }
        steps += 1;
      }
      expect(steps).toBeGreaterThan(1);
    },
  );
});
