import { isPage } from "../../../site/inspection/mediaTypes";
import { firstOf } from "../../../runtime/messages/firstOf";
import type { Mark } from "../../ownership/marks";
import type { Copy } from "../destination";
import { removeObjects } from "./objects";
import { fateOf, restore, updateRecord, type Fate } from "./replacedFiles";
import {
  findRecord,
  savedPath,
  takeInventory,
  writtenByCopies,
  type FoundRecord,
  type Inventory,
} from "./siteInventory";
import type { SiteObject } from "./siteObjects";
import { hasOtherOwner, siteOwnership } from "./siteOwnership";
import { recordPath } from "./siteRecord";
import type { Store } from "./store";
import { clearUploads, isAbandoned } from "./uploads";

/**
 * Removes the owner's marks at copies of a site, and the copies that no other owner has, except files that another copy also has.
 * Files that others wrote since stay, with a warning.
 */
export async function removeSites(
  store: Store,
  copies: readonly Copy[],
  kept: readonly Copy[],
): Promise<void> {
  const ownership = siteOwnership(store);
  const removed = new Set(copies.map(({ sha256 }) => sha256));
  const isLast = kept.length === 0;
  // what an interrupted run left
  if (isLast) for (const item of await ownership.ownItems()) removed.add(item);
  for (const { sha256 } of kept) removed.delete(sha256);
  await ownership.release(
    removed,
    async (edition) => (await findRecord(store, edition)) !== undefined,
    (gone) =>
      removeRecords(store, ({ sha256, isWhole }, { marks }) => {
        // incomplete copies of versions without marks: no run follows the last removal
        const isLeftover = isLast && !isWhole && !marks.has(sha256) && !hasOthers(store, marks);
        return gone.includes(sha256) || isLeftover;
      }),
  );
}

/** Whether any other owner has a copy below the prefix. */
function hasOthers(store: Store, marks: Inventory["marks"]): boolean {
  return [...marks.keys()].some((edition) => hasOtherOwner(store, { marks }, edition));
}

/** Removes copies: their records, and the files that no other copy has. Other copies get files back that were replaced. */
export async function removeRecords(
  store: Store,
  isLeaving: (record: FoundRecord, inventory: Inventory) => boolean,
): Promise<void> {
  const inventory = await takeInventory(store);
  const { records, objects, marks, saved } = inventory;
  const gone = records.filter((record) => isLeaving(record, inventory));
  const stay = newestFirst(
    records.filter((record) => !gone.includes(record) && !isLeft(marks.get(record.sha256))),
    marks,
  );
  await clearSiteUploads(store, { ...inventory, records: gone }, []);

  const paths = new Set(gone.flatMap(({ files }) => [...files.keys()]));
  const written = new Set(await writtenByCopies(store, objects, gone, paths));
  const fates = new Map(
    [...paths].map((path) => {
      const etag = objects.get(path)?.etag;
      const record = gone.find(({ files }) => files.get(path)?.etag === etag);
      return [path, fateOf(path, inventory, stay, written.has(path), record?.files.get(path)?.sha256)];
    }),
  );
  const replaced = await giveBack(store, fates);
  const removable = [...fates].filter(([, { action }]) => action === "remove").map(([path]) => path);
  const addresses = new Set(gone.flatMap(({ derived = [] }) => derived));
  const isOfPage = (path: string): boolean => isPage(path) || addresses.has(path);
  // pages first: what a page loads exists as long as the page
  for (const isNow of [isOfPage, (path: string) => !isOfPage(path)])
    await removePaths(store, removable.filter(isNow));
  await completeHeirs(store, inventory, stay, { replaced, removed: new Set(removable) });
  await removePaths(
    store,
    gone.map(({ sha256 }) => recordPath(sha256)),
  );
  // what is kept for copies that are gone
  const needed = new Set(stay.map(({ sha256 }) => sha256));
  const unneeded = [...saved].filter(
    (path) => ![...needed].some((edition) => path.startsWith(savedPath(edition, ""))),
  );
  await removePaths(store, unneeded);

  const foreign = [...fates]
    .filter(
      ([path, { action }]) =>
        action === "stay" && objects.has(path) && !stay.some(({ files }) => files.has(path)),
    )
    .map(([path]) => path)
    .sort();
  if (foreign.length === 0) return;
  store.context.reporter.warn(
    `below ${store.uri} these are not removed, because someone else overwrote them: ${firstOf(foreign)}`,
  );
}

/** Whether every owner of a copy is removing it. */
function isLeft(marks: readonly Mark[] = []): boolean {
  return marks.length > 0 && marks.every(({ isLeaving }) => isLeaving);
}

/** Sorts records: the copy that was published last first. */
function newestFirst(records: readonly FoundRecord[], marks: Inventory["marks"]): FoundRecord[] {
  const publishedAt = ({ sha256, modifiedAtMs }: FoundRecord): number => {
    const staying = (marks.get(sha256) ?? []).filter(({ isLeaving }) => !isLeaving);
    return staying.length === 0 ? modifiedAtMs : Math.max(...staying.map(({ writtenAt }) => writtenAt));
  };
  return [...records].sort((one, other) => publishedAt(other) - publishedAt(one));
}

/** New ETags of files, by path, for each record. */
type NewEtags = Map<FoundRecord, Map<string, string>>;

/** Gives paths back to the copies that stay: what pages load first. */
async function giveBack(store: Store, fates: ReadonlyMap<string, Fate>): Promise<NewEtags> {
  const etags: NewEtags = new Map();
  const note = (heir: FoundRecord, path: string, etag: string): void => {
    etags.set(heir, (etags.get(heir) ?? new Map<string, string>()).set(path, etag));
  };
  const restored: { path: string; heir: FoundRecord }[] = [];
  for (const [path, fate] of fates) {
    if (fate.action === "adopt") note(fate.heir, path, fate.etag);
    if (fate.action === "restore") restored.push({ path, heir: fate.heir });
  }
  for (const isNow of [false, true]) {
    const now = restored.filter(({ path }) => isPage(path) === isNow);
    const found = await restore(store, now);
    for (const { path, heir } of now) note(heir, path, found.get(path) ?? "");
  }
  return etags;
}

/** Restores files that had to make room for a folder or a file of a removed copy, and completes the records of the heirs. */
async function completeHeirs(
  store: Store,
  { objects, saved }: Inventory,
  stay: readonly FoundRecord[],
  { replaced, removed }: { readonly replaced: NewEtags; readonly removed: ReadonlySet<string> },
): Promise<void> {
  for (const heir of stay.filter(({ isWhole }) => isWhole)) {
    const etags = new Map(replaced.get(heir));
    const missing = [...heir.files.keys()].filter(
      (path) =>
        (!objects.has(path) || removed.has(path)) &&
        !etags.has(path) &&
        stay.find(({ files }) => files.has(path)) === heir,
    );
    const isSaved = (path: string): boolean => saved.has(savedPath(heir.sha256, path));
    const lost = missing.filter((path) => !isSaved(path));
    const found = await restore(
      store,
      missing.filter(isSaved).map((path) => ({ path, heir })),
    );
    for (const [path, etag] of found) etags.set(path, etag);
    if (lost.length > 0) await nameIncomplete(store, heir, lost);
    if (etags.size === 0) continue;
    await updateRecord(store, heir, etags);
    await removePaths(
      store,
      [...etags.keys()].map((path) => savedPath(heir.sha256, path)).filter((path) => saved.has(path)),
    );
  }
}

/** Names the owner of a copy that stays without some of its files: nobody has them but its own source. */
async function nameIncomplete(
  store: Store,
  { sha256 }: FoundRecord,
  missing: readonly string[],
): Promise<void> {
  const others = await siteOwnership(store).otherOwners(sha256);
  if (others === undefined) return;
  store.context.reporter.warn(
    `below ${store.uri} a copy of ${others} is now without these files: ${firstOf([...missing].sort())}. They were replaced while both ` +
      "copies were published. Run `pulumi up --refresh` of that stack: it sends them again",
  );
}

/** Removes the objects at these paths, regardless of who wrote them. */
export async function removePaths(store: Store, paths: readonly string[]): Promise<void> {
  await removeObjects(
    store,
    paths.map((path) => store.key(path)),
  );
}

/**
 * Aborts multipart uploads of our files that a killed run left. While other owners have copies below the prefix, only those without
 * activity: another run may be sending the rest.
 */
export async function clearSiteUploads(
  store: Store,
  { records, marks }: Pick<Inventory, "records" | "marks">,
  objects: readonly SiteObject[],
): Promise<void> {
  const ours = new Set([
    ...objects.map(({ path }) => path),
    ...records.flatMap(({ files }) => [...files.keys()]),
  ]);
  const isShared = hasOthers(store, marks);
  await clearUploads(store, (upload) => ours.has(upload.path) && (!isShared || isAbandoned(store, upload)));
}
