import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { sleep } from "../../../../base/runtime/time/clock";
import type { BucketPlace } from "../bucketPlace";
import { type FileHeaders, hasHeaders, hasHeadersOf, headersOf, revalidated } from "../fileHeaders";
import { CONCURRENCY, type ListedObject } from "../objectStore";
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

/** Asking for the headers of so many files takes about as long as the second that a record waits for. */
const MANY = 500;
/** The resolution of the times in a list, in milliseconds. */
const TIME_STEP_MS = 1_000;

/**
 * Finds the files whose headers somebody changed since they were sent. Azure's revision is that of the headers, too; Google lists the
 * headers; in S3 a change is a new write: the record of a copy is written after its files, so only files that are not older than their
 * record are looked at.
 *
 * @param edition of a copy whose record exists: a store that does not return the headers of that returns those of no file
 */
export async function changedHeaders(
  place: BucketPlace,
  edition: string,
  listed: Listed,
  files: Iterable<SentFile>,
): Promise<string[]> {
  if (place.objects.revisionCoversHeaders === true) return [];
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

/** The files with the latest time in a list, of those whose headers it does not have. */
export class NewestFiles {
  #atMs = -Infinity;
  #count = 0;

  add({ modifiedAtMs, headers }: Pick<ListedObject, "modifiedAtMs" | "headers">): void {
    if (headers !== undefined || modifiedAtMs < this.#atMs) return;
    this.#count = modifiedAtMs === this.#atMs ? this.#count + 1 : 1;
    this.#atMs = modifiedAtMs;
  }

  /**
   * Waits until a record gets a later time than these files, if they are many: otherwise, each refresh would ask for the headers of all
   * of them.
   *
   * @param sentMs when the last file was sent, by the monotonic clock
   */
  async recordLater({ objects, context: { clock, signal } }: BucketPlace, sentMs: number): Promise<void> {
    if (objects.revisionCoversHeaders === true || this.#count <= MANY) return;
    await sleep(clock, Math.max(0, sentMs + TIME_STEP_MS - clock.monotonic()), signal);
  }
}

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
