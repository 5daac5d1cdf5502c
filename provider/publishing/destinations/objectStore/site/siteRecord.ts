import { basename } from "node:path/posix";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import { isEdition } from "../../copyLayout";
import type { BucketPlace } from "../bucketPlace";
import type { Revision } from "../objectStore";

/** One object of a site, as a record lists it. */
interface RecordedFile {
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
  /** `HEADERS_VERSION` when its files were sent. */
  readonly headersVersion: number;
  /** By path below the site's root. */
  readonly files: ReadonlyMap<string, RecordedFile>;
  /** The paths of pages that were sent a second time. Absent in records of earlier versions. */
  readonly derived?: readonly string[] | undefined;
  /**
   * The paths whose names look as if they were named after their content, but that got other content: they are never sent as immutable
   * again. Each record has those of the records before it. Absent if there are none.
   */
  readonly revalidated?: readonly string[] | undefined;
}

/** The only supported format. */
const FORMAT = 1;

/** The path of a copy's record, below the prefix of the site. */
export const recordPath = (sha256: string): string => `${RECORDS_FOLDER}/${sha256}.json`;

/** The copy whose record is at a path below the prefix of the site, if it is a record. */
export const editionAt = (path: string): string => basename(path, ".json");

/** Whether there is a record at a path below the prefix of the site. */
export const isRecordPath = (path: string): boolean =>
  isEdition(editionAt(path)) && path === recordPath(editionAt(path));

/** How many files become text at once: that of all would need several times the memory of the record. */
const ENTRIES_AT_ONCE = 1_000;

/** The text of a record, as {@link parseRecord} reads it. */
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

/** What is before the files in a record. Quotes within names are escaped, so that neither this nor {@link BETWEEN} is part of a name. */
const BEFORE = '"files":[';
/** What is between two files. */
const BETWEEN = '],["';

interface ParsedRecord {
  readonly record: SiteRecord;
  /** Length of its text. */
  readonly bytes: number;
}

/**
 * Parses a record piece by piece: at once, that of a large site would need several times its own memory.
 *
 * @throws DestinationError
 */
export async function parseRecord(
  place: Pick<BucketPlace, "uri" | "uriOf">,
  key: string,
  texts: Iterable<string> | AsyncIterable<string>,
): Promise<ParsedRecord> {
  const refusal = (): DestinationError =>
    new DestinationError(
      `${place.uriOf(key)} does not have the format of this version of pulumi-docs-hosting`,
      `It lists the files below ${place.uri} that belong to copies. Update the package, or remove that object and these files by hand.`,
    );
  const parsed = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      throw refusal();
    }
  };
  const files = new Map<string, RecordedFile>();
  const note = (entries: unknown): void => {
    if (!Array.isArray(entries)) throw refusal();
    for (const entry of entries as unknown[]) {
      const [path, sha256, revision] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (!isText(path) || !isText(sha256) || !isText(revision)) throw refusal();
      files.set(path, { sha256, revision });
    }
  };
  let bytes = 0;
  /** The record up to {@link BEFORE}, once it was seen. */
  let head = "";
  let rest = "";
  for await (const text of texts) {
    bytes += Buffer.byteLength(text);
    rest += text;
    if (head === "") {
      const end = rest.indexOf(BEFORE) + BEFORE.length;
      if (end < BEFORE.length) continue;
      head = rest.slice(0, end);
      rest = rest.slice(end);
    }
    const last = rest.lastIndexOf(BETWEEN);
    if (last < 0) continue;
    note(parsed(`[${rest.slice(0, last + 1)}]`));
    rest = rest.slice(last + 2);
  }
  const whole = (parsed(`${head}${rest}`) ?? {}) as Record<string, unknown>;
  const { format, sha256, isWhole, headersVersion, derived, revalidated } = whole;
  if (format !== FORMAT || !isText(sha256) || typeof isWhole !== "boolean") throw refusal();
  note(whole["files"]);
  const record: SiteRecord = {
    sha256,
    isWhole,
    headersVersion: Number(headersVersion),
    files,
    ...(Array.isArray(derived) && { derived: (derived as unknown[]).filter(isText) }),
    ...(Array.isArray(revalidated) && { revalidated: (revalidated as unknown[]).filter(isText) }),
  };
  return { record, bytes };
}

const isText = (value: unknown): value is string => typeof value === "string";
