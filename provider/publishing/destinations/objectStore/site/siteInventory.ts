import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import { MARK_PATH } from "../bucketMark";
import type { BucketPlace } from "../bucketPlace";
import { CONCURRENCY, type ListedObject } from "../objectStore";
import { isRecordPath, type SiteRecord } from "./siteRecord";
import { type FoundRecord, listedRecord } from "./storedRecords";

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

/** What the bucket contains below the prefix, according to the records and the place. */
export class SiteInventory {
  readonly place: BucketPlace;
  /** The objects of sites, and those of others, by path below the prefix. */
  readonly objects: ListedSite["objects"];
  /** The records of copies. */
  readonly records: readonly FoundRecord[];
  /** See {@link ListedSite.inner}. */
  readonly inner: ListedSite["inner"];

  constructor(place: BucketPlace, listed: ListedSite, records: readonly FoundRecord[]) {
    this.place = place;
    this.objects = listed.objects;
    this.inner = listed.inner;
    this.records = records;
  }

  /** Lists the objects below the prefix, and reads the records of copies. */
  static async take(place: BucketPlace): Promise<SiteInventory> {
    const listed = await listSite(place);
    const records = await Array.fromAsync(listed.records, (each) => listedRecord(place, each)); // one after the other
    return new SiteInventory(
      place,
      listed,
      records.filter((record) => record !== undefined),
    );
  }

  /** The record of a copy, if there is one. */
  recordOf(edition: string): FoundRecord | undefined {
    return this.records.find(({ sha256 }) => sha256 === edition);
  }

  /** The paths at which the object is one that one of the copies wrote. */
  async writtenBy(copies: readonly SiteRecord[], paths: Iterable<string>): Promise<string[]> {
    const ours: string[] = [];
    const unsure: string[] = [];
    for (const path of paths) {
      const found = this.objects.get(path);
      if (found === undefined) continue;
      if (copies.some(({ files }) => files.get(path)?.revision === found.revision)) ours.push(path);
      else if (copies.some(({ isWhole, files }) => !isWhole && files.has(path))) unsure.push(path);
    }
    await inParallel(unsure, CONCURRENCY, async (path) => {
      const stored = await this.place.objects.head(this.place.key(path));
      if (stored?.sha256 === undefined) return;
      if (copies.some(({ files }) => files.get(path)?.sha256 === stored.sha256)) ours.push(path);
    });
    return ours;
  }
}
