import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import type { BucketPlace } from "../bucketPlace";
import { type FileHeaders, hasHeadersOf, headersOf, revalidated } from "../fileHeaders";
import { CONCURRENCY, type ListedObject, type StoredObject } from "../objectStore";
import { secondPaths } from "./siteObjects";
import { recordPath, type SiteRecord } from "./siteRecord";

/** A file that a copy sent, and its headers. */
export interface SentFile {
  readonly path: string;
  readonly headers: FileHeaders;
  /** When the record of the copy was written: milliseconds since 1970, by the clock of the store. */
  readonly recordedAtMs: number;
}

/** Objects as a list describes them, by path. */
type Listed = ReadonlyMap<string, Pick<ListedObject, "modifiedAtMs" | "headers">>;

/**
 * Finds the files whose headers somebody changed since they were sent. The revision shows it in Azure alone. Google lists the headers; in
 * S3 a change is a new write: the record of a copy is written after its files, so only files that are newer than their record are
 * looked at.
 *
 * @param edition of a copy whose record exists: a store that does not return the headers of that returns those of no file
 */
export async function changedHeaders(
  place: BucketPlace,
  edition: string,
  listed: Listed,
  files: Iterable<SentFile>,
): Promise<string[]> {
  const changed: string[] = [];
  const newer: SentFile[] = [];
  for (const file of files) {
    const found = listed.get(file.path);
    if (found?.headers !== undefined) {
      if (!hasHeaders(found.headers, file.headers)) changed.push(file.path);
    } else if (found !== undefined && found.modifiedAtMs >= file.recordedAtMs) newer.push(file);
  }
  if (newer.length === 0) return changed.sort();
  const record = place.key(recordPath(edition));
  const described = await place.objects.head(record);
  if (described === undefined || !hasHeaders(described.headers, headersOf(record))) return changed.sort();
  await inParallel(newer, CONCURRENCY, async ({ path, headers }) => {
    const stored = await place.objects.head(place.key(path));
    if (stored !== undefined && !hasHeaders(stored.headers, headers)) changed.push(path);
  });
  return changed.sort();
}

/** Whether an object is served with these headers, and with none that makes browsers download it. */
export function hasHeaders(stored: StoredObject["headers"], wanted: FileHeaders): boolean {
  return (
    stored.contentDisposition === undefined &&
    sameText(stored.contentType, wanted.contentType) &&
    sameText(stored.cacheControl, wanted.cacheControl) &&
    sameText(stored.contentEncoding, wanted.contentEncoding)
  );
}

/** Stores may write spaces and letter case of a header in another way. */
const sameText = (one = "", other = ""): boolean => plain(one) === plain(other);
const plain = (text: string): string => text.replace(/\s/g, "").toLowerCase();

/** The headers with which a copy sent its files. `undefined` for those of which an earlier version decided otherwise. */
export function sentHeaders(
  record: Pick<SiteRecord, "files" | "derived" | "headersVersion" | "revalidated">,
): (path: string) => FileHeaders | undefined {
  const { files, headersVersion } = record;
  const derived = new Set(
    record.derived ?? secondPaths(new Map([...files].map(([path, { sha256 }]) => [path, sha256]))),
  );
  const changing = new Set(record.revalidated);
  return (own) => {
    const path = derived.has(own) ? "index.html" : own; // with the type of the page
    if (!hasHeadersOf(headersVersion, path)) return undefined;
    return changing.has(path) ? revalidated(headersOf(path)) : headersOf(path);
  };
}
