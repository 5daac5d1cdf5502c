// Runs that put copies into a bucket are killed at random instants, repeatedly: existing objects are right, and when one run
// completes, nothing that the others began is left. SEED=… repeats a run, KILLS=… has more or fewer.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";
import { type Run, runUpload } from "./killedUpload.ts";
import { KillCount, KillInstants, measureRun } from "./killInstants.ts";
import { STORES } from "./stores/kinds.ts";
import type { BucketStore, StoreKind } from "./stores/store.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
/** Of each layout in each store. */
const KILLS = Number(process.env["KILLS"] ?? 10);
const MB = 1024 * 1024;
const random = seededRandom(SEED);

const LAYOUTS = ["archive", "site"] as const;
test.for(STORES.flatMap((kind) => LAYOUTS.map((layout) => ({ name: kind.name, kind, layout }))))(
  `${KILLS} killed runs leave no wrong byte, and no upload after the next run ($name, $layout, SEED=${SEED})`,
  { timeout: 60_000 + KILLS * 20_000 },
  async ({ kind, layout }, context) => {
    const store = await kind.start(context);
    const begin = (sha256: string, killAt?: KillInstants["next"]): Promise<Run> =>
      run(context, kind, store, layout, folder, sha256, killAt);
    const folder = await makeContent(context);
    const first = await newBundle(folder, layout);
    const whole = await measureRun(store.traffic, () => begin(first));
    expect(whole.done).toBe("done");
    const instants = new KillInstants(random, store.traffic, whole);

    const kills = new KillCount(KILLS);
    while (!kills.areEnough()) {
      // a few kills of the same content, then a run that ends
      const bundle = await newBundle(folder, layout);
      instants.beginCopy();
      for (let times = 0; times < 4 && !kills.areEnough(); times++) {
        kills.add(await begin(bundle, instants.next));
        await expectRight(store, layout, folder, bundle, false);
      }
      expect((await begin(bundle)).done).toBe("done");
      await expectRight(store, layout, folder, bundle, true);
      expect(await store.openUploads()).toEqual([]);
    }
  },
);

async function makeContent(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "killed-upload-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "site"));
  return folder;
}

/** New content each time: an archive that is sent in parts, or a site of many small files and a large one. */
async function newBundle(folder: string, layout: "archive" | "site"): Promise<string> {
  const content = randomBytes(layout === "archive" ? 30 * MB : 1_000);
  await writeFile(join(folder, "bundle"), content);
  if (layout === "site") {
    const names = Array.from({ length: 60 }, (_, index) => `${index}.${index % 3 === 0 ? "html" : "js"}`);
    for (const name of names) await writeFile(join(folder, "site", name), randomBytes(2_000));
    await writeFile(join(folder, "site", "film.mp4"), randomBytes(17 * MB));
    await writeFile(join(folder, "site", "index.html"), randomBytes(500));
  }
  return createHash("sha256").update(content).digest("hex");
}

function run(
  context: TestContext,
  { environment }: StoreKind,
  { place }: BucketStore,
  layout: string,
  folder: string,
  sha256: string,
  killAt?: KillInstants["next"],
): Promise<Run> {
  const args = [JSON.stringify({ ...place, prefix: "v", layout }), folder, sha256];
  return runUpload(context, "bucketUpload.ts", args, folder, environment, killAt);
}

/** An existing archive matches its name; a complete site has the right files. */
async function expectRight(
  store: BucketStore,
  layout: string,
  folder: string,
  sha256: string,
  isWhole: boolean,
): Promise<void> {
  const keys = await store.keys();
  const read = async (key: string): Promise<Buffer> => (await store.read(key)).content;
  if (layout === "archive") {
    const key = `v/${sha256}.tar.gz`;
    if (isWhole) expect(keys).toContain(key);
    if (keys.includes(key)) {
      expect(
        createHash("sha256")
          .update(await read(key))
          .digest("hex"),
      ).toBe(sha256);
    }
    return;
  }
  if (!isWhole) return;
  for (const key of keys.filter((each) => !each.includes(".docs-hosting"))) {
    const name = key.slice(2).replace(/^(\d+)$/, "$1.html");
    const there = await read(key);
    expect([key, there.equals(await readFile(join(folder, "site", name)))]).toEqual([key, true]);
  }
}
