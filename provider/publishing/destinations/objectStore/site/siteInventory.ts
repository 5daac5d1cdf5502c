import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import { MARK_PATH } from "../bucketMark";
import type { BucketPlace } from "../bucketPlace";
import { CONCURRENCY, type ListedObject } from "../objectStore";
import { isRecordPath, type SiteRecord } from "./siteRecord";
import { findRecord, type FoundRecord, listedRecord } from "./storedRecords";

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
interface ListedSite {
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

/** Whose the objects at some paths are. */
interface Writers {
  /** Paths of objects that one of the copies wrote. */
  readonly own: readonly string[];
  /** Paths of objects that somebody else wrote, or nobody knows who. */
  readonly foreign: readonly string[];
}

/** What the bucket contains below the prefix, according to the records and the place. */
export class SiteInventory {
  readonly place: BucketPlace;
  /** The objects of sites, and those of others, by path below the prefix. */
  readonly objects: ListedSite["objects"];
  /** The records of copies. */
  readonly records: readonly FoundRecord[];
  /** See {@link ListedSite.inner}. */
  readonly inner: ListedSite["inner"];
  /** The copies that were to have a record, and have none: nobody knows their files. */
  readonly lost: readonly string[];

  constructor(
    place: BucketPlace,
    listed: ListedSite,
    records: readonly FoundRecord[],
    lost: readonly string[] = [],
  ) {
    this.place = place;
    this.objects = listed.objects;
    this.inner = listed.inner;
    this.records = records;
    this.lost = lost;
  }

  /**
   * Lists the objects below the prefix, and reads the records of copies.
   *
   * @param editions copies that the resource has there: a list that lacks their records may be late, so the store is asked for each
   */
  static async take(place: BucketPlace, editions: Iterable<string>): Promise<SiteInventory> {
    const listed = await listSite(place);
    const read = await Array.fromAsync(listed.records, (each) => listedRecord(place, each)); // one after the other
    const records = read.filter((record) => record !== undefined);
    const unread = new Set(editions);
    for (const { sha256 } of records) unread.delete(sha256);
    const lost: string[] = [];
    for (const edition of unread) {
      const record = await findRecord(place, edition);
      // its files may be newer than the list, too; of unknown age, it is not abandoned
      if (record !== undefined) records.push({ ...record, isWhole: false, modifiedAtMs: Infinity });
      else lost.push(edition);
    }
    return new SiteInventory(place, listed, records, lost);
  }

  /** The record of a copy, if there is one. */
  recordOf(edition: string): FoundRecord | undefined {
    return this.records.find(({ sha256 }) => sha256 === edition);
  }

  /** The paths of objects that no copy with a record wrote: files of lost records, and objects of others. */
  unrecorded(): string[] {
    const isElsewhere = (path: string): boolean => this.inner.some((each) => path.startsWith(each));
    const isRecorded = (path: string, { revision }: ListedObject): boolean =>
      this.records.some(({ isWhole, files }) =>
        isWhole ? files.get(path)?.revision === revision : files.has(path),
      );
    return Array.from(this.objects, ([path, found]) =>
      isRecorded(path, found) || isElsewhere(path) ? [] : [path],
    ).flat();
  }

  /** Finds whose the objects are that copies have in their records. One that the list lacks is asked for: the list may be late. */
  async writersOf(copies: readonly SiteRecord[], paths: Iterable<string>): Promise<Writers> {
    const own: string[] = [];
    const foreign: string[] = [];
    const unsure: string[] = [];
    const isAsSent = (path: string, revision: string): boolean =>
      copies.some(({ files }) => files.get(path)?.revision === revision);
    const isBegun = (path: string): boolean =>
      copies.some(({ isWhole, files }) => !isWhole && files.has(path));
    for (const path of paths) {
      const found = this.objects.get(path);
      if (found !== undefined && isAsSent(path, found.revision)) own.push(path);
      else if (found === undefined || isBegun(path)) unsure.push(path);
      else foreign.push(path);
    }
    await inParallel(unsure, CONCURRENCY, async (path) => {
      const stored = await this.place.objects.head(this.place.key(path));
      if (stored === undefined && !this.objects.has(path)) return;
      const isOwn =
        stored !== undefined &&
        (isAsSent(path, stored.revision) ||
          (isBegun(path) && stored.sha256 !== undefined && this.#hasContent(copies, path, stored.sha256)));
      (isOwn ? own : foreign).push(path);
    });
    return { own, foreign };
  }

  #hasContent(copies: readonly SiteRecord[], path: string, sha256: string): boolean {
    return copies.some(({ files }) => files.get(path)?.sha256 === sha256);
  }
}
