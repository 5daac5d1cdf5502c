// Runs that put copies into a bucket are killed at random instants, repeatedly: existing objects are right, and when one run
// completes, nothing that the others began is left. SEED=… repeats a run, KILLS=… has more or fewer.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { expect, test, type TestContext } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";
import { ACCESS_KEY, BUCKET, SECRET, startStore, type BucketStore } from "./bucketStore.ts";
import { KillInstants, measureRun } from "./killInstants.ts";
import { runUpload, type Run } from "./killedUpload.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
/** Of each layout. */
const KILLS = Number(process.env["KILLS"] ?? 10);
const MB = 1024 * 1024;
const random = seededRandom(SEED);

test.for(["archive", "site"] as const)(
  `${KILLS} killed runs leave no wrong byte, and no upload after the next run (%s, SEED=${SEED})`,
  { timeout: 60_000 + KILLS * 10_000 },
  async (layout, context) => {
    const store = await startStore(context);
    const folder = await makeContent(context);
    const first = await newBundle(folder, layout);
    const whole = await measureRun(store.traffic, () => run(context, store, layout, folder, first));
    expect(whole.done).toBe("done");
    const instants = new KillInstants(random, store.traffic, whole);

    let kills = 0;
    let interrupted = 0;
    while (kills < KILLS) {
      // a few kills of the same content, then a run that ends
      const bundle = await newBundle(folder, layout);
      instants.beginCopy();
      for (let times = 0; times < 4 && kills < KILLS; times++, kills++) {
        const { done } = await run(context, store, layout, folder, bundle, instants.next);
        if (done === undefined) interrupted++;
        await expectRight(store, layout, folder, bundle, false);
      }
      expect((await run(context, store, layout, folder, bundle)).done).toBe("done");
      await expectRight(store, layout, folder, bundle, true);
      const { Uploads = [] } = await store.client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      expect(Uploads.map(({ Key }) => Key)).toEqual([]);
    }
    // not all: what was sent before is not sent again, so that some kills come too late
    expect(interrupted).toBeGreaterThan(KILLS / 8);
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
  store: BucketStore,
  layout: string,
  folder: string,
  sha256: string,
  killAt?: KillInstants["next"],
): Promise<Run> {
  const args = [store.endpoint, layout, folder, sha256];
  const env = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET };
  return runUpload(context, "bucketUpload.ts", args, folder, env, killAt);
}

/** An existing archive matches its name; a complete site has the right files. */
async function expectRight(
  store: BucketStore,
  layout: string,
  folder: string,
  sha256: string,
  isWhole: boolean,
): Promise<void> {
  const read = async (key: string): Promise<Uint8Array> => {
    const { Body } = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  };
  const { Contents = [] } = await store.client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
  const keys = Contents.map(({ Key = "" }) => Key);
  if (layout === "archive") {
    const key = `v/${sha256}.tar.gz`;
    if (isWhole) expect(keys).toContain(key);
    if (keys.includes(key))
      expect(
        createHash("sha256")
          .update(await read(key))
          .digest("hex"),
      ).toBe(sha256);
    return;
  }
  if (!isWhole) return;
  for (const key of keys.filter((each) => !each.includes(".docs-hosting"))) {
    const name = key.slice(2).replace(/^(\d+)$/, "$1.html");
    const there = Buffer.from(await read(key));
    expect([key, there.equals(await readFile(join(folder, "site", name)))]).toEqual([key, true]);
  }
}
