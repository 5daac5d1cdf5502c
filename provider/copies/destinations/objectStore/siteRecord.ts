import { RECORDS_FOLDER } from "./inputs";
import type { Revision } from "./objectStore";

/** One object of a site, as a record lists it. */
export interface RecordedFile {
  /** SHA-256 of its content: hexadecimal digits. */
  readonly sha256: string;
  /** After the upload; empty before it. */
  readonly revision: Revision;
}

/**
 * The files of one copy of a site. A record is an object beside the site, written before the first file and again after the last.
 * So the owner of every file is known whenever a run is killed, and two copies at the same destination detect each other.
 */
export interface SiteRecord {
  /** SHA-256 of the archive that the copy was made from: hexadecimal digits. */
  readonly sha256: string;
  /** Whether all its files were sent. */
  readonly isWhole: boolean;
  /** {@link HEADERS_VERSION} when its files were sent. */
  readonly headersVersion: number;
  /** By path below the site's root. */
  readonly files: ReadonlyMap<string, RecordedFile>;
  /** The paths of pages that were sent a second time. Absent in records of earlier versions. */
  readonly derived?: readonly string[] | undefined;
}

/** The only supported format. */
export const FORMAT = 1;

/** The path of a copy's record, below the prefix of the site. */
export const recordPath = (sha256: string): string => `${RECORDS_FOLDER}/${sha256}.json`;

/** Whether an item is a copy of a site. Archives below the same prefix have other names. */
export const isEdition = (item: string): boolean => /^[0-9a-f]{64}$/.test(item);

/** Whether there is a record at a path below the prefix of the site. */
export function isRecordPath(path: string): boolean {
  const [, digest = ""] = /([^/]+)\.json$/.exec(path) ?? [];
  return isEdition(digest) && path === recordPath(digest);
}

/** How many files become text at once: that of all would need several times the memory of the record. */
const ENTRIES_AT_ONCE = 1_000;

/** The text of a record, as `RecordParser` reads it. */
export function writeRecord({ files, headersVersion, ...record }: SiteRecord): Buffer {
  const whole = JSON.stringify({ format: FORMAT, ...record, headersVersion, files: [] });
  const end = "]}";
  const pieces = [Buffer.from(whole.slice(0, -end.length))];
  let entries: string[] = [];
  let written = 0;
  for (const [path, { sha256, revision }] of files) {
    entries.push(JSON.stringify([path, sha256, revision]));
    if (++written < files.size && entries.length < ENTRIES_AT_ONCE) continue;
    pieces.push(Buffer.from(`${entries.join()}${written < files.size ? "," : ""}`));
    entries = [];
  }
  return Buffer.concat([...pieces, Buffer.from(end)]);
}
