import { hash } from "node:crypto";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { transferLine } from "../../../base/runtime/messages/transferLine";
import type { Placing } from "../copyLayout";
import type { Copy } from "../destination";
import { leadOn } from "./leadingPages";
import { inParallel } from "../../../base/runtime/concurrency/inParallel";
import { CONCURRENCY } from "./objectStore";
import { conflictingPaths, siteObjects, type SiteObject } from "./siteObjects";
import {
  existingContents,
  listObjects,
  takeInventory,
  writtenByCopies,
  type Inventory,
} from "./siteInventory";
import { checkNames, isPossible } from "./nameRules";
import { recordPath } from "./siteRecord";
import { reportFalseHashes, withoutFalseHashes } from "./revalidatedFiles";
import { putRecord, putUnprotected, type FoundRecord, type NewRecord } from "./storedRecords";
import { clearSiteUploads, removeRecords } from "./siteRemoval";
import type { SiteBuffer } from "./siteBuffer";
import type { OwnedPlace } from "./bucketMark";
import { listedAt } from "./readObject";
import { changedOnDisk, sendObject } from "./sendObject";
import { ABANDONED_AFTER_MS } from "./unfinishedUploads";

/** Maximum memory that concurrent transfers of files may use, in bytes. */
const HEAVIEST = 32 * 1024 * 1024;
/** Files up to this size are read as a whole, in bytes. */
const LARGEST_READ = 4 * 1024 * 1024;

/** The copy of an edition. */
export async function copyOf(place: OwnedPlace, edition: string, hasStartPage: boolean): Promise<Copy> {
  const sitePath = await place.objects.addressOf(place.key(""));
  return {
    sha256: edition,
    uri: place.itemUri(edition),
    address: `${sitePath}${hasStartPage ? "index.html" : ""}`,
    sitePath,
    parts: { record: place.key(recordPath(edition)) },
  };
}

/**
 * Writes a site's files below the prefix, in an order in which no page is visible before what it loads. Existing content is not
 * sent again; objects that no copy wrote are never overwritten. The files of earlier copies stay, for pages that are still open.
 */
export async function publishSite(place: OwnedPlace, site: NewSite, placing?: Placing): Promise<Copy> {
  const { edition, buffer } = site;
  const files = await buffer.files();
  checkNames(
    place,
    files.map(({ path }) => path),
  );
  const hasStartPage = files.some(({ path }) => path === "index.html");
  const copy = await copyOf(place, edition, hasStartPage);
  placing?.(copy);
  const plan = await planSite(place, site);
  if (!plan.isUnchanged) {
    await putUnprotected(place, begun(plan));
    await sendSite(place, plan);
  }
  await removeAbandoned(place, edition, plan.inventory);
  return copy;
}

/** A site that is published. */
export interface NewSite {
  readonly edition: string;
  /** The copies that the resource has at the place. */
  readonly earlier: readonly Copy[];
  readonly buffer: SiteBuffer;
}

type SitePlan = Readonly<Awaited<ReturnType<typeof planSite>>>;

/** What a publication of a site does. @throws DestinationError for a site that cannot be below the prefix */
async function planSite(place: OwnedPlace, { edition, earlier, buffer }: NewSite) {
  const inventory = await takeInventory(place);
  const isRecorded = (copy: Copy): boolean => inventory.records.some(({ sha256 }) => sha256 === copy.sha256);
  const unrecorded = earlier.filter((copy) => !isRecorded(copy));
  const existing = (await place.objects.hasKeysBesideFolders()) ? undefined : [...inventory.objects.keys()];
  const { stages, found, revalidated } = withoutFalseHashes(
    await leadOn(
      // a second address that the store cannot have is left out
      siteObjects(await buffer.files(), existing, place.fields.cleanUrls).map((stage) =>
        stage.filter(({ isDerived, path }) => isDerived !== true || isPossible(place, path)),
      ),
      buffer,
    ),
    inventory.records,
  );
  const objects = stages.flat();
  const contents = await existingContents(place, inventory, objects, unrecorded.length > 0);
  const lost = unrecorded.filter((copy) => copy.sha256 !== edition).map(({ uri }) => uri);
  if (lost.length > 0) {
    place.context.reporter.warn(
      `the records of ${firstOf(lost)} are gone: files that only these copies had stay below ${place.uri}`,
    );
  }
  const derived = objects.filter(({ isDerived }) => isDerived).map(({ path }) => path);
  const files = new Map(objects.values().map((object) => [object.path, object] as const));
  const before = inventory.records.find(({ sha256 }) => sha256 === edition);
  /** Objects that this copy had, and has no more: pages at a second address. */
  const surplus = new Map(before?.files.entries().filter(([path]) => !files.has(path)));
  /** What is sent, in its order. */
  const missing = stages.map((stage) =>
    stage.filter(({ path }) => !inventory.objects.has(path) || contents.differing.has(path)),
  );
  return {
    ...{ buffer, inventory, missing, surplus, ...contents, falseHashes: found },
    /** Paths that make room for those of the site, in a store in which a name is either a file or a folder. */
    conflicting: existing === undefined ? [] : conflictingPaths(existing, objects),
    /** The record before the first file is sent, without what is surplus. */
    record: {
      ...{ sha256: edition, isWhole: false, files, derived },
      ...(revalidated.length > 0 && { revalidated }),
    },
    /** Everything is there. */
    isUnchanged: before?.isWhole === true && surplus.size === 0 && missing.flat().length === 0,
  };
}

/** The record while the site is sent: what is removed belongs to the copy until it is gone. */
function begun({ record, surplus }: SitePlan): NewRecord {
  if (surplus.size === 0) return record;
  return {
    ...record,
    files: new Map([...surplus, ...record.files]),
    derived: [...record.derived, ...surplus.keys()],
  };
}

/** Sends what is missing, removes what the copy has no more, and completes the record. */
async function sendSite(place: OwnedPlace, plan: SitePlan): Promise<void> {
  const { inventory, altered, conflicting, surplus, record } = plan;
  const { objects, records } = inventory;
  const removeWritten = async (paths: Iterable<string>): Promise<void> =>
    place.remove(await writtenByCopies(place, objects, records, paths));
  if (altered.length > 0) {
    place.context.reporter.warn(
      `below ${place.uri} there are objects that were changed since they were copied. They are written again: ${firstOf(altered)}`,
    );
  }
  reportFalseHashes(place.uri, plan.falseHashes, place.context.reporter);
  await clearSiteUploads(place, [record, ...records]);
  await removeWritten(conflicting);
  // a store keeps what replaces an archived object in the same tier, or refuses to replace it
  const missing = plan.missing.flat().map(({ path }) => path);
  await place.remove(missing.filter((path) => objects.get(path)?.archiveTier !== undefined));
  await sendMissing(place, plan);
  const others = records.filter(({ sha256 }) => sha256 !== record.sha256);
  await removeWritten([...surplus.keys()].filter((path) => !others.some(({ files }) => files.has(path))));
  if (!(await isKnown(place, plan))) await confirm(place, record.files);
  await putRecord(place, { ...record, isWhole: true });
}

/** Removes what other runs began more than an hour ago, and never completed. */
async function removeAbandoned(place: OwnedPlace, edition: string, { records }: Inventory): Promise<void> {
  const nowMs = place.context.clock.now();
  const isAbandoned = ({ isWhole, sha256, modifiedAtMs }: FoundRecord): boolean =>
    !isWhole && sha256 !== edition && nowMs - modifiedAtMs > ABANDONED_AFTER_MS;
  if (records.some(isAbandoned)) await removeRecords(place, isAbandoned);
}

async function sendMissing(place: OwnedPlace, { buffer, inventory, missing }: SitePlan): Promise<void> {
  const { clock, reporter } = place.context;
  const total = missing.flat().reduce((sum, { size }) => sum + size, 0);
  const startedAt = clock.monotonic();
  let done = 0;
  const report = (bytes: number): void => {
    reporter.progress(transferLine("uploading", bytes, total, clock.monotonic() - startedAt));
  };
  const send = async (object: SiteObject): Promise<void> => {
    const { path, size, sha256, offset } = object;
    const content = size > LARGEST_READ ? { path: buffer.path, offset } : await buffer.read(object);
    const isUnverified = Buffer.isBuffer(content) && place.objects.verifiesContent !== true;
    if (isUnverified && hash("sha256", content) !== sha256) throw changedOnDisk(buffer.path);
    const whole = { ...object, key: place.key(path) };
    const isSent = await sendObject(place, whole, content, !inventory.objects.has(path), {
      ...(!Buffer.isBuffer(content) && { onProgress: (bytes) => report(done + bytes) }),
      onStored: (revision) => {
        object.revision = revision;
      },
    });
    if (!isSent) throw changedMeanwhile(place, path);
    done += size;
    report(done);
  };
  for (const stage of missing) await inParallel(stage, CONCURRENCY, send, ({ size }) => size, HEAVIEST);
}

/**
 * Completes the files of the record by the answers of the store: nobody else publishes below the prefix, and most objects were listed
 * before. Returns whether that is enough; for the first copy, a list also proves that the store lists what it accepted.
 */
async function isKnown(place: OwnedPlace, plan: SitePlan): Promise<boolean> {
  const { inventory, missing, differing, record } = plan;
  const isFirst = !inventory.records.some(({ isWhole }) => isWhole);
  if (isFirst) return false;
  for (const [path, file] of record.files) {
    const listed = inventory.objects.get(path);
    if (listed !== undefined && !differing.has(path)) file.revision = listed.revision;
    if (file.revision === "") return false;
  }
  const last = missing.flat().at(-1);
  // some stores name revisions otherwise in lists
  return last === undefined || (await listedAt(place, place.key(last.path)))?.revision === last.revision;
}

/** Completes the files of a record by a new list. @throws DestinationError for a missing or changed object */
async function confirm(place: OwnedPlace, files: SitePlan["record"]["files"]): Promise<void> {
  for (const file of files.values()) file.revision = "";
  await listObjects(place, (path, { size, revision }) => {
    const file = files.get(path);
    if (file?.size === size) file.revision = revision;
  });
  for (const [path, { revision }] of files) if (revision === "") throw changedMeanwhile(place, path);
}

function changedMeanwhile(place: OwnedPlace, path: string): DestinationError {
  return new DestinationError(
    `${place.uriOf(place.key(path))} was written by somebody else at the same time`,
    "Run `pulumi up` again. Two sites cannot be published below one prefix at the same time: give each its own.",
  );
}
