import { DestinationError } from "../../../runtime/messages/errors";
import type { BucketPlace } from "./bucketPlace";
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
const FORMAT = 1;

/** The path of a copy's record, below the prefix of the site. */
export const recordPath = (sha256: string): string => `${RECORDS_FOLDER}/${sha256}.json`;

/** Whether an item is a copy of a site. Archives below the same prefix have other names. */
export const isEdition = (item: string): boolean => /^[0-9a-f]{64}$/.test(item);

/** Whether there is a record at a path below the prefix of the site. */
export function isRecordPath(path: string): boolean {
  const [, digest = ""] = /([^/]+)\.json$/.exec(path) ?? [];
  return isEdition(digest) && path === recordPath(digest);
}

/** The text of a record, as {@link readRecord} reads it. */
export function writeRecord({ files, headersVersion, ...record }: SiteRecord): string {
  const entries = [...files].map(([path, { sha256: digest, revision }]) => [path, digest, revision]);
  return JSON.stringify({ format: FORMAT, ...record, headersVersion, files: entries });
}

/** Parses a record. @throws DestinationError */
export function readRecord(place: Pick<BucketPlace, "uri" | "uriOf">, key: string, text: string): SiteRecord {
  const refuse = (): DestinationError =>
    new DestinationError(
      `${place.uriOf(key)} does not have the format of this version of pulumi-docs-hosting`,
      `It lists the files below ${place.uri} that belong to copies. Update the package, or remove that object and these files by hand.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse();
  }
  const { format, sha256, isWhole, headersVersion, files, derived } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const isText = (each: unknown): each is string => typeof each === "string";
  if (format !== FORMAT || !isText(sha256) || typeof isWhole !== "boolean" || !Array.isArray(files))
    throw refuse();
  const read = new Map<string, RecordedFile>();
  for (const entry of files as unknown[]) {
    const [path, digest, revision] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (!isText(path) || !isText(digest) || !isText(revision)) throw refuse();
    read.set(path, { sha256: digest, revision });
  }
  return {
    sha256,
    isWhole,
    headersVersion: Number(headersVersion),
    files: read,
    ...(Array.isArray(derived) && { derived: (derived as unknown[]).filter(isText) }),
  };
}
