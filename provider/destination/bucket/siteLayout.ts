import { createHash } from "node:crypto";
import { DestinationError } from "../../messages/errors";
import { transferLine } from "../../http/transferLine";
import type { Bundle, Copy } from "../destination";
import { headersOf } from "./fileHeaders";
import { inParallel } from "../../http/inParallel";
import { CONCURRENCY, listObjects, readObject } from "./objects";
import { addressOf, keyOf, LONGEST_KEY_BYTES, bucketUri, RECORDS_FOLDER } from "./inputs";
import { pathsInTheWay, siteObjects, type HeldFile, type SiteObject } from "./siteObjects";
import { contentsThere, listSite, stillOurs, takeInventory } from "./siteInventory";
import {
  newRecord,
  readRecord,
  recordKey,
  recordsPrefix,
  writeRecord,
  type RecordedFile,
  type SiteRecord,
} from "./siteRecord";
import { clearSiteUploads, removePaths, removeRecords } from "./siteRemoval";
import type { Spool } from "./spool";
import type { Store } from "./store";
import { FORGOTTEN_AFTER_MS, sendObject } from "./uploads";

/** The most memory that concurrent transfers of files may hold, in bytes. */
const HEAVIEST = 32 * 1024 * 1024;

/**
 * Writes a site's files below the prefix, in an order in which no page is visible before what it loads. Existing content is not
 * sent again; objects that no copy wrote are never overwritten. The files of earlier copies stay, for pages that are still open.
 */
export async function publishSite(
  store: Store,
  bundle: Bundle,
  spool: Spool,
  placing?: (copy: Copy) => void,
): Promise<Copy> {
  const { destination, context } = store;
  const inventory = await takeInventory(store);
  // Amazon S3 allows any names beside each other; other stores only some
  const standing = destination.endpoint === undefined ? undefined : [...inventory.objects.keys()];
  const stages = siteObjects(await spool.files(), standing);
  const objects = stages.flat();
  checkNames(store, objects);
  const there = await contentsThere(store, inventory, objects);
  await clearSiteUploads(store, inventory.records, objects);

  const own = recordKey(destination, bundle.sha256);
  const planned = new Map(objects.map(({ path, sha256 }) => [path, { sha256, etag: "" }]));
  const isUnchanged =
    objects.every((object) => there.get(object.path) === true) &&
    inventory.records.some((record) => record.sha256 === bundle.sha256 && record.isWhole);
  const start = objects.some(({ path }) => path === "index.html") ? "index.html" : "";
  const sitePath = addressOf(destination, await store.region(), keyOf(destination, ""));
  const copy: Copy = {
    sha256: bundle.sha256,
    uri: `${bucketUri(destination)}/#sha256:${bundle.sha256}`,
    address: `${sitePath}${start}`,
    sitePath,
    parts: { record: own },
  };
  if (!isUnchanged) {
    await putRecord(store, own, newRecord(bundle.sha256, false, planned));
    placing?.(copy);
    const inTheWay = pathsInTheWay(standing ?? [], objects);
    await removePaths(store, await stillOurs(store, inventory.objects, inventory.records, inTheWay));
    await sendStages(store, stages, there, spool);
    const files = await confirmed(store, objects);
    await putRecord(store, own, newRecord(bundle.sha256, true, files));
  }
  const nowMs = context.clock.now();
  const forgotten = inventory.records.filter(
    (record) =>
      !record.isWhole && record.sha256 !== bundle.sha256 && nowMs - record.modifiedAtMs > FORGOTTEN_AFTER_MS,
  );
  if (forgotten.length > 0) await removeRecords(store, new Set(forgotten.map(({ sha256 }) => sha256)));
  return copy;
}

/** Whether a site is there as it was published: every file of it, and none replaced by another copy's file. */
export async function compareSite(store: Store, copy: Copy): Promise<"same" | "changed" | "gone"> {
  const key = recordKey(store.destination, copy.sha256);
  const text = await readObject(store, key);
  if (text === undefined) return "gone";
  const record = readRecord(store.destination, key, text);
  if (!record.isWhole) return "changed";
  const { objects } = await listSite(store);
  const isSame = [...record.files].every(([path, { etag }]) => objects.get(path)?.etag === etag);
  return isSame ? "same" : "changed";
}

function checkNames(store: Store, objects: readonly SiteObject[]): void {
  for (const { path } of objects) {
    if (path === RECORDS_FOLDER || path.startsWith(`${RECORDS_FOLDER}/`)) {
      throw new DestinationError(
        `the site has a file ${path}, where copies are noted`,
        `Leave out the folder ${RECORDS_FOLDER} of the site.`,
      );
    }
    if (Buffer.byteLength(store.key(path)) > LONGEST_KEY_BYTES) {
      throw new DestinationError(
        `the name of the site's file ${path} is too long for a bucket`,
        `Keys have ${LONGEST_KEY_BYTES} bytes at most, the prefix included.`,
      );
    }
  }
}

async function sendStages(
  store: Store,
  stages: readonly (readonly SiteObject[])[],
  there: ReadonlyMap<string, boolean>,
  spool: Spool,
): Promise<void> {
  const { clock, reporter } = store.context;
  const missing = stages.map((stage) => stage.filter(({ path }) => there.get(path) !== true));
  const total = missing.flat().reduce((sum, { size }) => sum + size, 0);
  const startedAt = clock.monotonic();
  let done = 0;
  const tell = (bytes: number): void => {
    reporter.progress(transferLine("uploading", bytes, total, clock.monotonic() - startedAt));
  };
  const send = async (object: SiteObject): Promise<void> => {
    const { path, size } = object;
    const whole = { ...object, key: store.key(path) };
    const content = { path: spool.path, offset: object.offset };
    const isThere = await sendObject(store, whole, content, !there.has(path), (bytes) => tell(done + bytes));
    if (!isThere) throw changedMeanwhile(store, path);
    done += size;
    tell(done);
  };
  for (const stage of missing) await inParallel(stage, CONCURRENCY, send, ({ size }) => size, HEAVIEST);
}

/**
 * Lists the objects again and returns what the record stores about each. @throws DestinationError for a missing or changed object
 */
async function confirmed(store: Store, objects: readonly HeldFile[]): Promise<Map<string, RecordedFile>> {
  const { objects: listed } = await listSite(store);
  const files = new Map<string, RecordedFile>();
  for (const { path, sha256, size } of objects) {
    const found = listed.get(path);
    if (found?.size !== size) throw changedMeanwhile(store, path);
    files.set(path, { sha256, etag: found.etag });
  }
  return files;
}

function changedMeanwhile(store: Store, path: string): DestinationError {
  return new DestinationError(
    `s3://${store.destination.bucket}/${store.key(path)} was written by somebody else at the same time`,
    "Two sites cannot share a prefix: give each its own, and run `pulumi up` again.",
  );
}

async function putRecord(store: Store, key: string, record: SiteRecord): Promise<void> {
  const content = Buffer.from(writeRecord(record));
  const sha256 = createHash("sha256").update(content).digest("hex");
  await sendObject(store, { key, size: content.length, sha256, headers: headersOf(key) }, content, false);
}

/** Fails if the bucket cannot be used at all. */
export async function checkAccess(store: Store): Promise<void> {
  await listObjects(store, recordsPrefix(store.destination));
}
