import { isDeepStrictEqual } from "node:util";
import { DestinationError } from "../../../runtime/messages/errors";
import { firstOf } from "../../../runtime/messages/firstOf";
import { changedHeaders, hasHeaders, sentHeaders, type SentFile } from "./changedHeaders";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import { CONCURRENCY, type ListedObject } from "./objectStore";
import { isSameContent } from "./sendObject";
import { isMarkPath, marksIn } from "./bucketMarks";
import { RECORDS_FOLDER } from "./inputs";
import type { SiteObject } from "./siteObjects";
import { isRecordPath, type SiteRecord } from "./siteRecord";
import { listedRecord } from "./storedRecords";
import type { BucketPlace } from "./bucketPlace";

/** What the bucket contains below the prefix, according to the records and the place. */
export type Inventory = Readonly<Awaited<ReturnType<typeof takeInventory>>>;

/** Where a file of a copy is kept while another owner's file has its path. */
export const savedPath = (edition: string, path: string): string => `${SAVED_FOLDER}/${edition}/${path}`;
const SAVED_FOLDER = `${RECORDS_FOLDER}/saved`;

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

/** Lists all objects below the prefix, and the records of copies. */
export async function listSite(place: BucketPlace) {
  /** The objects of sites, and those of others, by path below the prefix. */
  const objects = new Map<
    string,
    Pick<ListedObject, "size" | "revision" | "archiveTier"> & { readonly headersAtMs: number }
  >();
  const records: ListedObject[] = [];
  const listedMarks: ListedObject[] = [];
  /** Files of copies that were overwritten by another owner's, by {@link savedPath}. */
  const saved = new Set<string>();
  await listObjects(place, (path, object) => {
    const { size, revision, modifiedAtMs, headersAtMs = modifiedAtMs, archiveTier } = object;
    const listed = { size, revision, headersAtMs, ...(archiveTier !== undefined && { archiveTier }) };
    if (!path.startsWith(RECORDS_FOLDER)) objects.set(path, listed);
    else if (isRecordPath(path)) records.push(object);
    else if (isMarkPath(path)) listedMarks.push(object);
    else if (path.startsWith(`${SAVED_FOLDER}/`)) saved.add(path);
    else objects.set(path, listed);
  });
  /** The marks of owners, by item. */
  const marks = marksIn(place, listedMarks);
  /** The items that an owner other than the operation's has, and stays. */
  const others = new Set<string>();
  const { id } = place.context.owner;
  for (const [item, each] of marks)
    if (each.some(({ owner, isLeaving }) => owner !== id && !isLeaving)) others.add(item);
  return { objects, records, marks, others, saved };
}

/** Lists the objects below the prefix, and reads the records of copies. */
export async function takeInventory(place: BucketPlace) {
  const { records: listed, ...rest } = await listSite(place);
  const records = await Array.fromAsync(listed, (each) => listedRecord(place, each)); // one after the other
  return { ...rest, records: records.filter((record) => record !== undefined) };
}

/**
 * Finds which of these objects already exist, and whether each has the right content.
 *
 * @throws DestinationError when an object exists that no copy wrote
 */
export async function existingContents(
  place: BucketPlace,
  { records, objects: listed }: Inventory,
  objects: readonly SiteObject[],
) {
  /** Paths of objects with other content: what is listed at any other path of the site is as it should be. */
  const differing = new Set<string>();
  const foreign: string[] = [];
  /** Paths of objects that copies wrote and somebody changed since: they will be overwritten. */
  const altered: string[] = [];
  const unsure: SiteObject[] = [];
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
    const isServed = found.archiveTier === undefined;
    if (known.length === 0) foreign.push(path);
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
  if (foreign.length > 0) {
    throw new DestinationError(
      `below ${place.uri} there are objects that no copy of a site wrote: ${firstOf(foreign)}`,
      "Nothing was written. Give the destination a prefix of its own, or remove these objects.",
    );
  }
  // a killed run may have sent them
  await inParallel(unsure, CONCURRENCY, async (object) => {
    const stored = await place.objects.head(place.key(object.path));
    const isSame =
      stored !== undefined && isSameContent(stored, object) && hasHeaders(stored, object.headers);
    if (!isSame) differing.add(object.path);
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
