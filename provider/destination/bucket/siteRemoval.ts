import { isPage } from "../../archive/mediaTypes";
import { firstOf } from "../../messages/firstOf";
import type { Copy } from "../destination";
import { removeObjects } from "./objects";
import { writtenByCopies, takeInventory, type FoundRecord } from "./siteInventory";
import type { SiteObject } from "./siteObjects";
import { recordPath, type SiteRecord } from "./siteRecord";
import type { Store } from "./store";
import { clearUploads } from "./uploads";

/** Removes copies of a site, except files that another copy also has. Files that others wrote since stay, with a warning. */
export async function removeSites(
  store: Store,
  copies: readonly Copy[],
  kept: readonly Copy[],
): Promise<void> {
  const removed = new Set(copies.map(({ sha256 }) => sha256));
  for (const { sha256 } of kept) removed.delete(sha256);
  // no run follows the last removal: incomplete copies are removed now
  const isLast = kept.length === 0;
  await removeRecords(store, ({ sha256, isWhole }) => removed.has(sha256) || (isLast && !isWhole));
}

/** Removes copies: their records, and the files that no other copy has. */
export async function removeRecords(
  store: Store,
  isLeaving: (record: FoundRecord) => boolean,
): Promise<void> {
  const { records, objects } = await takeInventory(store);
  const gone = records.filter(isLeaving);
  const stay = records.filter((record) => !isLeaving(record));
  await clearSiteUploads(store, gone, []);
  const paths = new Set(gone.flatMap(({ files }) => [...files.keys()]));
  for (const { files } of stay) for (const path of files.keys()) paths.delete(path);

  const removable = await writtenByCopies(store, objects, gone, paths);
  const addresses = new Set(gone.flatMap(({ derived = [] }) => derived));
  const isOfPage = (path: string): boolean => isPage(path) || addresses.has(path);
  // pages first: what a page loads exists as long as the page
  for (const isNow of [isOfPage, (path: string) => !isOfPage(path)])
    await removePaths(store, removable.filter(isNow));
  await removePaths(
    store,
    gone.map(({ sha256 }) => recordPath(sha256)),
  );
  for (const path of removable) paths.delete(path);
  const foreign = [...paths].filter((path) => objects.has(path)).sort();
  if (foreign.length === 0) return;
  store.context.reporter.warn(
    `below ${store.uri} these are not removed, because someone else overwrote them: ${firstOf(foreign)}`,
  );
}

/** Removes the objects at these paths, regardless of who wrote them. */
export async function removePaths(store: Store, paths: readonly string[]): Promise<void> {
  await removeObjects(
    store,
    paths.map((path) => store.key(path)),
  );
}

/** Aborts multipart uploads of our files that a killed run left: two sites cannot share a prefix. */
export async function clearSiteUploads(
  store: Store,
  records: readonly SiteRecord[],
  objects: readonly SiteObject[],
): Promise<void> {
  const ours = new Set([
    ...objects.map(({ path }) => path),
    ...records.flatMap(({ files }) => [...files.keys()]),
  ]);
  await clearUploads(store, ({ path }) => ours.has(path));
}
