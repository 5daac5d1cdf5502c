import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { changedHeaders, hasHeaders, sentHeaders, type SentFile } from "./changedHeaders";
import { inParallel } from "../../../base/runtime/concurrency/inParallel";
import { CONCURRENCY, type ListedObject } from "./objectStore";
import { isSameContent } from "./sendObject";
import { RECORDS_FOLDER } from "../../ownership/placeMark";
import { isInOtherPlace, MARK_PATH } from "./bucketMark";
import type { SiteObject } from "./siteObjects";
import { isRecordPath, type SiteRecord } from "./siteRecord";
import { listedRecord, type FoundRecord } from "./storedRecords";
import type { BucketPlace } from "./bucketPlace";

/** What the bucket contains below the prefix, according to the records and the place. */
export interface Inventory extends Omit<ListedSite, "records"> {
  readonly records: readonly FoundRecord[];
}

/** Lists the objects below the prefix, with their paths below it. */
export async function listObjects(
  place: BucketPlace,
  onObject: (path: string, object: ListedObject) => void,
): Promise<void> {
  const prefix = place.key("");
  await place.objects.list(prefix, (object) => {
    if (object.key.startsWith(prefix)) onObject(object.key.slice(prefix.length), object);
  });
}

/** What a list shows below the prefix. */
export interface ListedSite {
  /** The objects of sites, and those of others, by path below the prefix. */
  readonly objects: ReadonlyMap<string, ListedObject>;
  /** The objects of records. */
  readonly records: readonly ListedObject[];
  /** The prefixes of places below this one, with a slash at the end: what is there belongs to them. */
  readonly inner: readonly string[];
}

/** Lists all objects below the prefix, and the records of copies. */
export async function listSite(place: BucketPlace): Promise<ListedSite> {
  const objects = new Map<string, ListedObject>();
  const records: ListedObject[] = [];
  const inner: string[] = [];
  await listObjects(place, (path, object) => {
    if (isRecordPath(path)) records.push(object);
    if (path.startsWith(`${RECORDS_FOLDER}/`)) return;
    objects.set(path, object);
    if (path.endsWith(`/${MARK_PATH}`)) inner.push(path.slice(0, -MARK_PATH.length));
  });
  return { objects, records, inner };
}

/** Lists the objects below the prefix, and reads the records of copies. */
export async function takeInventory(place: BucketPlace): Promise<Inventory> {
  const { records: listed, objects, inner } = await listSite(place);
  const records = await Array.fromAsync(listed, (each) => listedRecord(place, each)); // one after the other
  return { objects, inner, records: records.filter((record) => record !== undefined) };
}

/** What a publication finds of the objects that it wants. */
export interface ExistingContents {
  /** Paths of objects with other content: what is listed at any other path of the site is as it should be. */
  readonly differing: ReadonlySet<string>;
  /** Paths of objects that copies wrote and somebody changed since: they will be overwritten. */
  readonly altered: readonly string[];
}

/**
 * Finds which of these objects already exist, and whether each has the right content. Where records are gone, the site's own files are
 * recognised by their content.
 *
 * @param lacksRecords whether a record of a copy that the resource has there is gone: what this package sent is a copy's
 * @throws DestinationError when an object exists that no copy wrote
 */
export async function existingContents(
  place: BucketPlace,
  { records, objects: listed, inner }: Inventory,
  objects: readonly SiteObject[],
  lacksRecords: boolean,
): Promise<ExistingContents> {
  const differing = new Set<string>();
  const foreign: string[] = [];
  const altered: string[] = [];
  const unsure: SiteObject[] = [];
  const unknown: SiteObject[] = [];
  const sent = new Map(records.map((record) => [record, sentHeaders(record)] as const));
  const unchanged: SentFile[] = [];
  for (const object of objects) {
    const { path, size, sha256, headers } = object;
    const found = listed.get(path);
    if (found === undefined) continue;
    const known = records.filter(({ files }) => files.has(path));
    const written = known.filter(({ files }) => files.get(path)?.revision === found.revision);
    const isSame = written.some(
      (record) =>
        record.files.get(path)?.sha256 === sha256 && isDeepStrictEqual(sent.get(record)?.(path), headers),
    );
    const isFinal = known.every(({ isWhole }) => isWhole);
    const isOfOthers = inner.some((each) => path.startsWith(each));
    const isServed = found.archiveTier === undefined;
    if (known.length === 0 && isOfOthers) foreign.push(path);
    else if (known.length === 0) unknown.push(object);
    else if (written.length === 0 && found.size === size && !isFinal) unsure.push(object);
    else if (!isSame || !isServed) {
      differing.add(path);
      if ((written.length === 0 && isFinal) || (isSame && !isServed)) altered.push(path);
    } else {
      const recordedAtMs = Math.max(
        ...written.map(({ isWhole, modifiedAtMs }) => (isWhole ? modifiedAtMs : -Infinity)),
      );
      if (recordedAtMs > -Infinity) unchanged.push({ path, headers, recordedAtMs });
    }
  }
  if (unknown.length > 0 && (await isInOtherPlace(place))) foreign.push(...unknown.map(({ path }) => path));
  else
    await inParallel(unknown, CONCURRENCY, async (object) => {
      const { isSame, hasContent, isSent } = await lookAt(place, object);
      if (!hasContent && !(lacksRecords && isSent)) return void foreign.push(object.path);
      if (isSame) return;
      differing.add(object.path);
      if (!hasContent) altered.push(object.path);
    });
  if (foreign.length > 0) {
    throw new DestinationError(
      `below ${place.uri} there are objects that no copy of a site wrote: ${firstOf(foreign.sort())}`,
      "Nothing was written. Give the destination a prefix of its own, or remove these objects.",
    );
  }
  // a killed run may have sent them
  await inParallel(unsure, CONCURRENCY, async (object) => {
    if (!(await lookAt(place, object)).isSame) differing.add(object.path);
  });
  const [witness] = records.filter(({ isWhole }) => isWhole);
  if (witness !== undefined) {
    for (const path of await changedHeaders(place, witness.sha256, listed, unchanged)) {
      differing.add(path);
      altered.push(path);
    }
  }
  return { differing, altered };
}

/** Looks at the object that is at the path of another. */
async function lookAt(place: BucketPlace, object: SiteObject) {
  const key = place.key(object.path);
  const stored = await place.objects.head(key);
  if (stored === undefined) return { isSame: false, hasContent: false, isSent: false };
  const isSent = stored.sha256 !== undefined;
  const sha256 = stored.sha256 ?? (stored.size === object.size ? await digestAt(place, key) : undefined);
  const hasContent = isSameContent({ ...stored, sha256 }, object);
  const isSame = isSent && hasContent && hasHeaders(stored.headers, object.headers);
  return { isSame, hasContent, isSent };
}

/** SHA-256 of an object of which the store knows none: hexadecimal digits. */
async function digestAt(place: BucketPlace, key: string): Promise<string | undefined> {
  return place.objects.read(key, async (content) => {
    const digest = createHash("sha256");
    for await (const bytes of content) digest.update(bytes);
    return digest.digest("hex");
  });
}

/** The paths at which the object is one that one of the copies wrote. */
export async function writtenByCopies(
  place: BucketPlace,
  objects: Inventory["objects"],
  copies: readonly SiteRecord[],
  paths: Iterable<string>,
): Promise<string[]> {
  const ours: string[] = [];
  const unsure: string[] = [];
  for (const path of paths) {
    const found = objects.get(path);
    if (found === undefined) continue;
    if (copies.some(({ files }) => files.get(path)?.revision === found.revision)) ours.push(path);
    else if (copies.some(({ isWhole, files }) => !isWhole && files.has(path))) unsure.push(path);
  }
  await inParallel(unsure, CONCURRENCY, async (path) => {
    const stored = await place.objects.head(place.key(path));
    if (stored?.sha256 === undefined) return;
    if (copies.some(({ files }) => files.get(path)?.sha256 === stored.sha256)) ours.push(path);
  });
  return ours;
}
