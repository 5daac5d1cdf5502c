import type { BucketPlace } from "../bucketPlace";
import { withLeadingPages } from "./leadingPages";
import { isPossible } from "./nameRules";
import { type CheckedHashes, withoutFalseHashes } from "./revalidatedFiles";
import type { SiteBuffer } from "./siteBuffer";
import { type BufferedFile, siteObjects } from "./siteObjects";
import type { SiteRecord } from "./siteRecord";

/** The objects that a site becomes at a place, in the order of upload. */
export type WantedSite = CheckedHashes;

/**
 * Decides which objects a site becomes at a place, and with which headers.
 *
 * @param takenPaths see {@link siteObjects}
 * @param records of the copies that are there
 */
export async function wantedSite(
  place: BucketPlace,
  files: readonly BufferedFile[],
  buffer: SiteBuffer,
  takenPaths: readonly string[] | undefined,
  records: readonly Pick<SiteRecord, "files" | "revalidated">[],
): Promise<WantedSite> {
  const all = siteObjects(files, takenPaths, place.fields.cleanUrls);
  // a second address that the store cannot have is left out
  const possible = all.map((stage) =>
    stage.filter(({ isDerived, path }) => isDerived !== true || isPossible(place, path)),
  );
  return withoutFalseHashes(await withLeadingPages(possible, buffer), records);
}
