import { DestinationError } from "../../../../base/runtime/messages/errors";
import { firstOf } from "../../../../base/runtime/messages/firstOf";
import { isPage } from "../../../inspection/mediaTypes";
import type { OwnedPlace } from "../bucketMark";
import { clearUploads } from "../unfinishedUploads";
import { SiteInventory } from "./siteInventory";
import { recordPath, type SiteRecord } from "./siteRecord";
import type { FoundRecord } from "./storedRecords";

/** Which copies are removed. */
interface Leaving {
  /** The editions of these copies. */
  readonly leaving: readonly string[];
  /** The editions of the copies of the resource that stay. */
  readonly kept: readonly string[];
  /** Whether another copy is removed, too. */
  readonly isLeftover: (record: FoundRecord) => boolean;
}

/**
 * Removes copies: the files that no other copy has, then their records.
 *
 * @throws DestinationError before anything is removed if a copy that stays has no record: nobody knows which files it needs
 */
export async function removeRecords(place: OwnedPlace, wanted: Leaving): Promise<void> {
  const { leaving, kept, isLeftover } = wanted;
  const { reporter } = place.context;
  const inventory = await SiteInventory.take(place, [...leaving, ...kept]);
  const unknown = kept.filter((edition) => inventory.lost.includes(edition));
  if (unknown.length > 0) throw unknownFiles(place, unknown);
  const gone = inventory.records.filter(
    (record) => !kept.includes(record.sha256) && (leaving.includes(record.sha256) || isLeftover(record)),
  );
  if (gone.length > 0) await removeFound(place, inventory, gone);
  if (inventory.lost.length === 0) return;
  const isNamed = (path: string): boolean => inventory.records.some(({ files }) => files.has(path));
  const strays = inventory.unrecorded().filter((path) => !isNamed(path));
  if (strays.length === 0) return;
  reporter.warn(
    `below ${place.uri} these are not removed, because no record says whose they are: ${firstOf(strays.sort())}. ` +
      `The record of ${firstOf(inventory.lost.map(place.itemUri))} is gone: they may be its files. Remove them by hand if nobody needs them`,
  );
}

function unknownFiles(place: OwnedPlace, editions: readonly string[]): DestinationError {
  return new DestinationError(
    `the record of ${firstOf(editions.map(place.itemUri))} is gone, so nobody knows which files that copy needs: nothing is removed below ${place.uri}`,
    "Run `pulumi up --refresh`: it writes the record of the newest copy again. If an earlier copy has none, set a smaller `keep`, so that it is removed, too.",
  );
}

/** @param gone records of the inventory */
async function removeFound(
  place: OwnedPlace,
  inventory: SiteInventory,
  gone: readonly FoundRecord[],
): Promise<void> {
  const stay = inventory.records.filter((record) => !gone.includes(record));
  const isKept = (path: string): boolean => stay.some(({ files }) => files.has(path));
  const paths = new Set(gone.flatMap(({ files }) => [...files.keys()]).filter((path) => !isKept(path)));
  const { own, foreign } = await inventory.writersOf(gone, paths);
  const addresses = new Set(gone.flatMap(({ derived = [] }) => derived));
  const isOfPage = (path: string): boolean => isPage(path) || addresses.has(path);
  // pages first: what a page loads exists as long as the page
  for (const isNow of [true, false]) {
    await place.removeOwn(own.filter((path) => isOfPage(path) === isNow));
  }
  await clearSiteUploads(place, gone);
  // last the records: with them, a later run completes an interrupted removal
  await place.removeOwn(gone.map(({ sha256 }) => recordPath(sha256)));

  if (foreign.length === 0) return;
  place.context.reporter.warn(
    `below ${place.uri} these are not removed, because someone else overwrote them: ${firstOf([...foreign].sort())}`,
  );
}

/** Aborts multipart uploads of files of these copies that a killed run left. */
export async function clearSiteUploads(
  place: OwnedPlace,
  copies: readonly Pick<SiteRecord, "files">[],
): Promise<void> {
  const isOurs = (path: string): boolean => copies.some(({ files }) => files.has(path));
  await clearUploads(place, isOurs, () => false);
}
