import { DestinationError } from "../../../runtime/messages/errors";
import type { Copy, CopyComparison, CopyContent, FoundCopy } from "../destination";
import { RECORDS_FOLDER } from "./inputs";
import { lacksCleanUrls, secondPaths } from "./siteObjects";
import { listSite } from "./siteInventory";
import { siteOwnership } from "./siteOwnership";
import { recordPath, type SiteRecord } from "./siteRecord";
import { findRecord } from "./storedRecords";
import type { BucketPlace } from "./bucketPlace";

/** The copy of an edition. */
export async function copyOf(place: BucketPlace, edition: string, hasStartPage: boolean): Promise<Copy> {
  const sitePath = await place.objects.addressOf(place.key(""));
  return {
    sha256: edition,
    uri: `${place.uri}/#sha256:${edition}`,
    address: `${sitePath}${hasStartPage ? "index.html" : ""}`,
    sitePath,
    parts: { record: place.key(recordPath(edition)) },
  };
}

/**
 * Finds a site by its record.
 *
 * @throws DestinationError when there is no record of it, or its objects are not those of the record
 */
export async function findSite(place: BucketPlace, edition: string): Promise<FoundCopy> {
  const record = await findRecord(place, edition);
  if (record === undefined) {
    throw new DestinationError(
      `there is no record of this copy, ${place.uriOf(place.key(recordPath(edition)))}`,
      "Check the address, and `endpoint`; for S3 also `region`.",
    );
  }
  const { files } = record;
  const copy = await copyOf(place, edition, files.has("index.html"));
  if (!["same", "unmarked"].includes(await compareSite(place, copy))) {
    throw new DestinationError(
      `the objects below ${place.uri} are not those of this copy: it is incomplete, or another one replaced it`,
      "They are unchanged. Import the newest copy, or make a new one.",
    );
  }
  const isBare = record.derived !== undefined && lacksCleanUrls(files, record.derived);
  return { copy, edition, files: digestsOf(files), ...(isBare && { destination: { cleanUrls: false } }) };
}

/** Reads the files of a site from its record; `undefined` when that is gone. */
export async function readSite(place: BucketPlace, { sha256 }: Copy): Promise<CopyContent | undefined> {
  const record = await findRecord(place, sha256);
  if (record === undefined) return undefined;
  const { files, derived = secondPaths(digestsOf(files)) } = record;
  // no second map: that of a large site has megabytes
  return {
    files: { get: (path) => files.get(path)?.sha256, keys: () => files.keys() },
    derived: new Set(derived),
  };
}

function digestsOf(files: SiteRecord["files"]): Map<string, string> {
  return new Map([...files].map(([path, { sha256 }]) => [path, sha256]));
}

/** Whether a site exists as it was published: all of its files, none of them replaced by another copy's file. */
export async function compareSite(place: BucketPlace, copy: Copy): Promise<CopyComparison> {
  const record = await findRecord(place, copy.sha256);
  if (record === undefined) return "gone";
  if (!record.isWhole) return "changed";
  const { objects } = await listSite(place);
  const isSame = [...record.files].every(([path, { revision }]) => objects.get(path)?.revision === revision);
  return isSame ? siteOwnership(place).compared(copy.sha256) : "changed";
}

/** Writes the owner's mark at sites that are there. */
export async function markSites(place: BucketPlace, copies: readonly Copy[]): Promise<void> {
  for (const { sha256 } of copies) {
    if ((await findRecord(place, sha256)) !== undefined) await siteOwnership(place).claim(sha256);
  }
}

/** Fails if the bucket cannot be used at all. */
export async function checkAccess(place: BucketPlace): Promise<void> {
  await place.objects.list(place.key(`${RECORDS_FOLDER}/`), () => undefined);
}
