import { DestinationError } from "../../../../base/runtime/messages/errors";
import type { Deadline } from "../../../../base/runtime/time/clock";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import type { BucketPlace } from "../bucketPlace";
import { HEADERS_VERSION, headersOf } from "../fileHeaders";
import type { ListedObject, Revision } from "../objectStore";
import { textsOf } from "../readObject";
import { sendText } from "../sendObject";
import { parseRecord, recordPath, type SiteRecord, writeRecord } from "./siteRecord";

/** A record as read from the bucket. */
export interface FoundRecord extends SiteRecord {
  readonly modifiedAtMs: number;
}

/**
 * The records that an operation has read or written, by address: that of a large site has megabytes. It is still what the bucket
 * contains as long as a list shows the same revision.
 */
const KNOWN = new WeakMap<
  Deadline,
  Map<string, { readonly revision: Revision; readonly record: SiteRecord }>
>();

function note(place: BucketPlace, key: string, revision: Revision | undefined, record: SiteRecord): void {
  const { deadline } = place.context;
  if (!KNOWN.has(deadline)) KNOWN.set(deadline, new Map());
  if (revision) KNOWN.get(deadline)?.set(place.uriOf(key), { revision, record });
}

/** Reads the record of a copy; `undefined` when it is gone. @param edition identifies the copy's content */
export async function findRecord(place: BucketPlace, edition: string): Promise<SiteRecord | undefined> {
  const key = place.key(recordPath(edition));
  const known = KNOWN.get(place.context.deadline)?.get(place.uriOf(key));
  if (known !== undefined && (await place.objects.head(key))?.revision === known.revision) {
    return known.record;
  }
  return (await recordAt(place, key))?.record;
}

/** Reads a record that a list shows; `undefined` when it is gone since. */
export async function listedRecord(
  place: BucketPlace,
  { key, revision, modifiedAtMs, size }: ListedObject,
): Promise<FoundRecord | undefined> {
  const known = KNOWN.get(place.context.deadline)?.get(place.uriOf(key));
  if (known !== undefined && known.revision === revision) return { ...known.record, modifiedAtMs };
  const found = await recordAt(place, key);
  if (found === undefined) return undefined;
  // completed since the list was made, whose objects are older: for this inventory, its run is still active
  const isWhole = found.record.isWhole && found.bytes === size;
  return { ...found.record, isWhole, modifiedAtMs };
}

function recordAt(place: BucketPlace, key: string) {
  return place.objects.read(key, async (content, revision) => {
    const parsed = await parseRecord(place, key, textsOf(place, key, content));
    note(place, key, revision, parsed.record);
    return parsed;
  });
}

/** A record without `headersVersion` is of files that are sent now. */
export type NewRecord = Omit<SiteRecord, "headersVersion"> & Partial<Pick<SiteRecord, "headersVersion">>;

/** Writes the record of a copy. */
export async function putRecord(
  place: BucketPlace,
  record: NewRecord,
  onProtected?: (by: string) => void,
): Promise<void> {
  const key = place.key(recordPath(record.sha256));
  const whole = { headersVersion: HEADERS_VERSION, ...record };
  await sendText(place, key, writeRecord(whole), headersOf(key), {
    onStored: (revision) => note(place, key, revision, whole),
    onProtected,
  });
}

/**
 * Writes the record of a copy before its first file. In a bucket that protects each object, the record could not be completed, and no page
 * replaced: it is refused before a page is public.
 *
 * @throws DestinationError
 */
export async function putUnprotected(place: BucketPlace, record: NewRecord): Promise<void> {
  let protection: string | undefined;
  await putRecord(place, record, (by) => (protection = by));
  if (protection === undefined) return;
  throw new DestinationError(
    `the bucket of ${place.uri} protects each new object by ${protection}, so a site could be neither replaced nor removed there`,
    `No page was written. Use a bucket or a prefix without it; the layout «archive» needs none. ${place.uriOf(place.key(`${RECORDS_FOLDER}/`))} ` +
      "has records of this attempt, which can be removed when the protection has ended.",
  );
}
