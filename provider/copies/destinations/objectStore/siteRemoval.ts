import { isPage } from "../../../site/inspection/mediaTypes";
import { firstOf } from "../../../runtime/messages/firstOf";
import type { Mark } from "../../ownership/marks";
import type { Copy } from "../destination";
import { fateOf, restore, updateRecord, type Fate } from "./replacedFiles";
import { savedPath, takeInventory, writtenByCopies, type Inventory } from "./siteInventory";
import type { SiteObject } from "./siteObjects";
import { hasOtherOwner, siteOwnership } from "./siteOwnership";
import { recordPath } from "./siteRecord";
import { findRecord, type FoundRecord } from "./storedRecords";
import type { BucketPlace } from "./bucketPlace";
import { clearUploads, isAbandoned } from "./unfinishedUploads";

/**
 * Removes the owner's marks at copies of a site, and the copies that no other owner has, except files that another copy also has.
 * Files that others wrote since stay, with a warning.
 */
export async function removeSites(
  place: BucketPlace,
  copies: readonly Copy[],
  kept: readonly Copy[],
): Promise<void> {
  const ownership = siteOwnership(place);
  const removed = new Set(copies.map(({ sha256 }) => sha256));
  const isLast = kept.length === 0;
  // what an interrupted run left
  if (isLast) for (const item of await ownership.ownItems()) removed.add(item);
  for (const { sha256 } of kept) removed.delete(sha256);
  await ownership.release(
    removed,
    async (edition) => (await findRecord(place, edition)) !== undefined,
    (gone) =>
      removeRecords(place, ({ sha256, isWhole }, { marks }) => {
        // incomplete copies of versions without marks: no run follows the last removal
        const isLeftover = isLast && !isWhole && !marks.has(sha256) && !hasOthers(place, marks);
        return gone.includes(sha256) || isLeftover;
      }),
  );
}

/** Whether any other owner has a copy below the prefix. */
export function hasOthers(place: BucketPlace, marks: Inventory["marks"]): boolean {
  return [...marks.keys()].some((edition) => hasOtherOwner(place, { marks }, edition));
}

/** Removes copies: their records, and the files that no other copy has. Other copies get files back that were replaced. */
export async function removeRecords(
  place: BucketPlace,
  isLeaving: (record: FoundRecord, inventory: Inventory) => boolean,
): Promise<void> {
  const inventory = await takeInventory(place);
  const { records, objects, marks, saved } = inventory;
  const gone = records.filter((record) => isLeaving(record, inventory));
  const stay = newestFirst(
    records.filter((record) => !gone.includes(record) && !isLeft(marks.get(record.sha256))),
    marks,
  );
  await clearSiteUploads(place, { ...inventory, records: gone }, []);

  const paths = new Set<string>();
  for (const { files } of gone)
    for (const path of files.keys()) if (!isHeld(path, objects, stay)) paths.add(path);
  const written = new Set(await writtenByCopies(place, objects, gone, paths));
  const fates = new Map<string, Fate>();
  const foreign: string[] = [];
  for (const path of paths) {
    const revision = objects.get(path)?.revision;
    const record = gone.find(({ files }) => files.get(path)?.revision === revision);
    const fate = fateOf(path, inventory, stay, written.has(path), record?.files.get(path)?.sha256);
    if (fate.action !== "stay") fates.set(path, fate);
    else if (revision !== undefined && !stay.some(({ files }) => files.has(path))) foreign.push(path);
  }
  const replaced = await giveBack(place, fates);
  const removable = [...fates].filter(([, { action }]) => action === "remove").map(([path]) => path);
  const addresses = new Set(gone.flatMap(({ derived = [] }) => derived));
  const isOfPage = (path: string): boolean => isPage(path) || addresses.has(path);
  // pages first: what a page loads exists as long as the page
  for (const isNow of [isOfPage, (path: string) => !isOfPage(path)])
    await removePaths(place, removable.filter(isNow));
  await completeHeirs(place, inventory, stay, { replaced, removed: new Set(removable) });
  await removePaths(
    place,
    gone.map(({ sha256 }) => recordPath(sha256)),
  );
  // what is kept for copies that are gone
  const needed = new Set(stay.map(({ sha256 }) => sha256));
  const unneeded = [...saved].filter(
    (path) => ![...needed].some((edition) => path.startsWith(savedPath(edition, ""))),
  );
  await removePaths(place, unneeded);

  if (foreign.length === 0) return;
  place.context.reporter.warn(
    `below ${place.uri} these are not removed, because someone else overwrote them: ${firstOf(foreign.sort())}`,
  );
}

/** Whether a path has the file of the newest copy that stays: nothing becomes of it. */
function isHeld(path: string, objects: Inventory["objects"], stay: readonly FoundRecord[]): boolean {
  const held = stay.find(({ files }) => files.has(path))?.files.get(path);
  return held !== undefined && held.revision === objects.get(path)?.revision;
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

/** New revisions of files, by path, for each record. */
type NewRevisions = Map<FoundRecord, Map<string, string>>;

/** Gives paths back to the copies that stay: what pages load first. */
async function giveBack(place: BucketPlace, fates: ReadonlyMap<string, Fate>): Promise<NewRevisions> {
  const revisions: NewRevisions = new Map();
  const note = (heir: FoundRecord, path: string, revision: string): void => {
    revisions.set(heir, (revisions.get(heir) ?? new Map<string, string>()).set(path, revision));
  };
  const restored: { path: string; heir: FoundRecord }[] = [];
  for (const [path, fate] of fates) {
    if (fate.action === "adopt") note(fate.heir, path, fate.revision);
    if (fate.action === "restore") restored.push({ path, heir: fate.heir });
  }
  for (const isNow of [false, true]) {
    const now = restored.filter(({ path }) => isPage(path) === isNow);
    const found = await restore(place, now);
    for (const { path, heir } of now) note(heir, path, found.get(path) ?? "");
  }
  return revisions;
}

/** Restores files that had to make room for a folder or a file of a removed copy, and completes the records of the heirs. */
async function completeHeirs(
  place: BucketPlace,
  { objects, saved }: Inventory,
  stay: readonly FoundRecord[],
  { replaced, removed }: { readonly replaced: NewRevisions; readonly removed: ReadonlySet<string> },
): Promise<void> {
  for (const heir of stay.filter(({ isWhole }) => isWhole)) {
    const revisions = new Map(replaced.get(heir));
    const missing = [...heir.files.keys()].filter(
      (path) =>
        (!objects.has(path) || removed.has(path)) &&
        !revisions.has(path) &&
        stay.find(({ files }) => files.has(path)) === heir,
    );
    const isSaved = (path: string): boolean => saved.has(savedPath(heir.sha256, path));
    const lost = missing.filter((path) => !isSaved(path));
    const found = await restore(
      place,
      missing.filter(isSaved).map((path) => ({ path, heir })),
    );
    for (const [path, revision] of found) revisions.set(path, revision);
    if (lost.length > 0) await nameIncomplete(place, heir, lost);
    if (revisions.size === 0) continue;
    await updateRecord(place, heir, revisions);
    await removePaths(
      place,
      [...revisions.keys()].map((path) => savedPath(heir.sha256, path)).filter((path) => saved.has(path)),
    );
  }
}

/** Names the owner of a copy that stays without some of its files: nobody has them but its own source. */
async function nameIncomplete(
  place: BucketPlace,
  { sha256 }: FoundRecord,
  missing: readonly string[],
): Promise<void> {
  const others = await siteOwnership(place).otherOwners(sha256);
  if (others === undefined) return;
  place.context.reporter.warn(
    `below ${place.uri} a copy of ${others} is now without these files: ${firstOf([...missing].sort())}. They were replaced while both ` +
      "copies were published. Run `pulumi up --refresh` of that stack: it sends them again",
  );
}

/** Removes the objects at these paths, regardless of who wrote them. */
export async function removePaths(place: BucketPlace, paths: readonly string[]): Promise<void> {
  await place.objects.remove(paths.map((path) => place.key(path)));
}

/**
 * Aborts multipart uploads of our files that a killed run left. While other owners have copies below the prefix, only those without
 * activity: another run may be sending the rest.
 */
export async function clearSiteUploads(
  place: BucketPlace,
  { records, marks }: Pick<Inventory, "records" | "marks">,
  objects: readonly SiteObject[],
): Promise<void> {
  const isOurs = (wanted: string): boolean =>
    objects.some(({ path }) => path === wanted) || records.some(({ files }) => files.has(wanted));
  const isShared = hasOthers(place, marks);
  await clearUploads(place, (path, upload) => isOurs(path) && (!isShared || isAbandoned(place, upload)));
}
