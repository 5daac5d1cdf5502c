import { firstOf } from "../../../../base/runtime/messages/firstOf";
import { isPage } from "../../../inspection/mediaTypes";
import type { OwnedPlace } from "../bucketMark";
import { clearUploads } from "../unfinishedUploads";
import { SiteInventory } from "./siteInventory";
import { recordPath, type SiteRecord } from "./siteRecord";
import type { FoundRecord } from "./storedRecords";

/** Removes copies: the files that no other copy has, then their records. */
export async function removeRecords(
  place: OwnedPlace,
  isLeaving: (record: FoundRecord) => boolean,
): Promise<void> {
  const inventory = await SiteInventory.take(place);
  const gone = inventory.records.filter(isLeaving);
  const stay = inventory.records.filter((record) => !gone.includes(record));
  if (gone.length === 0) return;
  const { removable, foreign } = await fatesOf(inventory, gone, stay);
  const addresses = new Set(gone.flatMap(({ derived = [] }) => derived));
  const isOfPage = (path: string): boolean => isPage(path) || addresses.has(path);
  // pages first: what a page loads exists as long as the page
  for (const isNow of [true, false]) {
    await place.removeOwn(removable.filter((path) => isOfPage(path) === isNow));
  }
  await clearSiteUploads(place, gone);
  // last the records: with them, a later run completes an interrupted removal
  await place.removeOwn(gone.map(({ sha256 }) => recordPath(sha256)));

  if (foreign.length === 0) return;
  place.context.reporter.warn(
    `below ${place.uri} these are not removed, because someone else overwrote them: ${firstOf(foreign.sort())}`,
  );
}

/** What becomes of the objects of copies that are removed. */
interface Fates {
  /** Objects that the copies wrote, and no other copy has. */
  readonly removable: readonly string[];
  /** Objects that somebody else wrote. */
  readonly foreign: string[];
}

async function fatesOf(
  inventory: SiteInventory,
  gone: readonly FoundRecord[],
  stay: readonly FoundRecord[],
): Promise<Fates> {
  const isKept = (path: string): boolean => stay.some(({ files }) => files.has(path));
  const paths = new Set(gone.flatMap(({ files }) => [...files.keys()]).filter((path) => !isKept(path)));
  const written = new Set(await inventory.writtenBy(gone, paths));
  const foreign = [...paths].filter((path) => inventory.objects.has(path) && !written.has(path));
  return { removable: [...written], foreign };
}

/** Aborts multipart uploads of files of these copies that a killed run left. */
export async function clearSiteUploads(
  place: OwnedPlace,
  copies: readonly Pick<SiteRecord, "files">[],
): Promise<void> {
  const isOurs = (path: string): boolean => copies.some(({ files }) => files.has(path));
  await clearUploads(place, isOurs, () => false);
}
