import { createHash } from "node:crypto";
import { DestinationError } from "../../messages/errors";
import { transferLine } from "../../messages/transferLine";
import type { Copy, CopyContent, FoundCopy } from "../destination";
import { headersOf } from "./fileHeaders";
import { leadOn } from "./leadingPages";
import { inParallel } from "../../concurrency/inParallel";
import { CONCURRENCY, listObjects } from "./objects";
import { LONGEST_KEY_BYTES, RECORDS_FOLDER } from "./inputs";
import { conflictingPaths, secondPaths, siteObjects, type SpooledFile, type SiteObject } from "./siteObjects";
import {
  existingContents,
  findRecord,
  listSite,
  writtenByCopies,
  takeInventory,
  type FoundRecord,
} from "./siteInventory";
import { recordPath, writeRecord, type RecordedFile, type SiteRecord } from "./siteRecord";
import { clearSiteUploads, removePaths, removeRecords } from "./siteRemoval";
import type { Spool } from "./spool";
import type { Store } from "./store";
import { ABANDONED_AFTER_MS, sendObject } from "./uploads";

/** Maximum memory that concurrent transfers of files may use, in bytes. */
const HEAVIEST = 32 * 1024 * 1024;

/**
 * Writes a site's files below the prefix, in an order in which no page is visible before what it loads. Existing content is not
 * sent again; objects that no copy wrote are never overwritten. The files of earlier copies stay, for pages that are still open.
 */
export async function publishSite(
  store: Store,
  edition: string,
  spool: Spool,
  placing?: (copy: Copy) => void,
): Promise<Copy> {
  const { destination, context } = store;
  const inventory = await takeInventory(store);
  // Amazon S3 accepts an object with the name of a folder; other stores do not
  const existing = destination.endpoint === undefined ? undefined : [...inventory.objects.keys()];
  const stages = await leadOn(siteObjects(await spool.files(), existing), spool);
  const objects = stages.flat();
  checkNames(store, objects);
  const there = await existingContents(store, inventory, objects);
  await clearSiteUploads(store, inventory.records, objects);

  const derived = objects.filter(({ isDerived }) => isDerived).map(({ path }) => path);
  const planned = new Map(objects.map(({ path, sha256 }) => [path, { sha256, etag: "" }]));
  const isUnchanged =
    objects.every((object) => there.get(object.path) === true) &&
    inventory.records.some((record) => record.sha256 === edition && record.isWhole);
  const copy = await copyOf(store, edition, planned);
  if (!isUnchanged) {
    await putRecord(store, { sha256: edition, isWhole: false, files: planned, derived });
    placing?.(copy);
    const conflicting = conflictingPaths(existing ?? [], objects);
    await removePaths(store, await writtenByCopies(store, inventory.objects, inventory.records, conflicting));
    await sendStages(store, stages, there, spool);
    const files = await confirmed(store, objects);
    await putRecord(store, { sha256: edition, isWhole: true, files, derived });
  }
  const nowMs = context.clock.now();
  const isAbandoned = ({ isWhole, sha256, modifiedAtMs }: FoundRecord): boolean =>
    !isWhole && sha256 !== edition && nowMs - modifiedAtMs > ABANDONED_AFTER_MS;
  if (inventory.records.some(isAbandoned)) await removeRecords(store, isAbandoned);
  return copy;
}

/** The copy with these files. */
async function copyOf(store: Store, edition: string, files: ReadonlyMap<string, unknown>): Promise<Copy> {
  const sitePath = await store.addressOf(store.key(""));
  return {
    sha256: edition,
    uri: `${store.uri}/#sha256:${edition}`,
    address: `${sitePath}${files.has("index.html") ? "index.html" : ""}`,
    sitePath,
    parts: { record: store.key(recordPath(edition)) },
  };
}

/**
 * Finds a site by its record.
 *
 * @throws DestinationError when there is no record of it, or its objects are not those of the record
 */
export async function findSite(store: Store, edition: string): Promise<FoundCopy> {
  const record = await findRecord(store, edition);
  if (record === undefined) {
    throw new DestinationError(
      `there is no record of this copy, ${store.uriOf(store.key(recordPath(edition)))}`,
      "Check the address, and `endpoint` and `region`.",
    );
  }
  const { files } = record;
  const copy = await copyOf(store, edition, files);
  if ((await compareSite(store, copy)) !== "same") {
    throw new DestinationError(
      `the objects below ${store.uri} are not those of this copy: it is incomplete, or another one replaced it`,
      "They are unchanged. Import the newest copy, or make a new one.",
    );
  }
  return { copy, edition, files: digestsOf(files) };
}

/** Reads the files of a site from its record; `undefined` when that is gone. */
export async function readSite(store: Store, { sha256 }: Copy): Promise<CopyContent | undefined> {
  const record = await findRecord(store, sha256);
  if (record === undefined) return undefined;
  const files = digestsOf(record.files);
  return { files, derived: new Set(record.derived ?? secondPaths(files)) };
}

function digestsOf(files: SiteRecord["files"]): Map<string, string> {
  return new Map([...files].map(([path, { sha256 }]) => [path, sha256]));
}

/** Whether a site exists as it was published: all of its files, none of them replaced by another copy's file. */
export async function compareSite(store: Store, copy: Copy): Promise<"same" | "changed" | "gone"> {
  const record = await findRecord(store, copy.sha256);
  if (record === undefined) return "gone";
  if (!record.isWhole) return "changed";
  const { objects } = await listSite(store);
  const isSame = [...record.files].every(([path, { etag }]) => objects.get(path)?.etag === etag);
  return isSame ? "same" : "changed";
}

function checkNames(store: Store, objects: readonly SiteObject[]): void {
  for (const { path } of objects) {
    if (path === RECORDS_FOLDER || path.startsWith(`${RECORDS_FOLDER}/`)) {
      throw new DestinationError(
        `the site has a file ${path}, in the folder of the copies' records`,
        `Remove the folder ${RECORDS_FOLDER} from the site.`,
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
  const report = (bytes: number): void => {
    reporter.progress(transferLine("uploading", bytes, total, clock.monotonic() - startedAt));
  };
  const send = async (object: SiteObject): Promise<void> => {
    const { path, size } = object;
    const whole = { ...object, key: store.key(path) };
    const content = { path: spool.path, offset: object.offset };
    const isThere = await sendObject(store, whole, content, !there.has(path), (bytes) =>
      report(done + bytes),
    );
    if (!isThere) throw changedMeanwhile(store, path);
    done += size;
    report(done);
  };
  for (const stage of missing) await inParallel(stage, CONCURRENCY, send, ({ size }) => size, HEAVIEST);
}

/**
 * Lists the objects again and returns what the record stores about each. @throws DestinationError for a missing or changed object
 */
async function confirmed(store: Store, objects: readonly SpooledFile[]): Promise<Map<string, RecordedFile>> {
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
    `${store.uriOf(store.key(path))} was written by somebody else at the same time`,
    "Two sites cannot share a prefix: give each its own, and run `pulumi up` again.",
  );
}

async function putRecord(store: Store, record: Omit<SiteRecord, "headersVersion">): Promise<void> {
  const key = store.key(recordPath(record.sha256));
  const content = Buffer.from(writeRecord(record));
  const sha256 = createHash("sha256").update(content).digest("hex");
  await sendObject(store, { key, size: content.length, sha256, headers: headersOf(key) }, content, false);
}

/** Fails if the bucket cannot be used at all. */
export async function checkAccess(store: Store): Promise<void> {
  await listObjects(store, store.key(`${RECORDS_FOLDER}/`));
}
