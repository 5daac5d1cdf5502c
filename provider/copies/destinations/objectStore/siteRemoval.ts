import { inParallel } from "../../../runtime/concurrency/inParallel";
import { firstOf } from "../../../runtime/messages/firstOf";
import { isPage } from "../../../site/inspection/mediaTypes";
import type { OwnedPlace } from "./bucketMarks";
import { CONCURRENCY, type Revision } from "./objectStore";
import { savedPath, takeInventory, writtenByCopies, type Inventory } from "./siteInventory";
import { recordPath, type RecordedFile, type SiteRecord } from "./siteRecord";
import { putRecord, type FoundRecord } from "./storedRecords";
import { clearUploads } from "./unfinishedUploads";

/** Removes copies: their records, and the files that no other copy has. Other copies get files back that were replaced. */
export async function removeRecords(
  place: OwnedPlace,
  isLeaving: (record: FoundRecord, inventory: Inventory) => boolean,
): Promise<void> {
  const inventory = await takeInventory(place);
  const { records, marks, saved } = inventory;
  const gone = records.filter((record) => isLeaving(record, inventory));
  const stay = records
    .filter((record) => !gone.includes(record))
    .map((record) => ({ ...record, publishedAt: publishedAt(record, marks) }))
    .filter((record) => record.publishedAt !== -Infinity)
    .sort((one, other) => other.publishedAt - one.publishedAt);
  await clearSiteUploads(place, inventory, gone);

  const { removable, foreign, inherited } = await fatesOf(place, inventory, gone, stay);
  await restore(place, inherited);
  const addresses = new Set(gone.flatMap(({ derived = [] }) => derived));
  const isOfPage = (path: string): boolean => isPage(path) || addresses.has(path);
  // pages first: what a page loads exists as long as the page
  for (const isNow of [true, false]) await place.remove(removable.filter((path) => isOfPage(path) === isNow));
  await completeHeirs(place, inventory, stay, inherited, new Set(removable));
  // last the records, and what is kept for copies that are gone
  await place.remove(gone.map(({ sha256 }) => recordPath(sha256)));
  const isNeeded = (path: string): boolean =>
    stay.some(({ sha256 }) => path.startsWith(savedPath(sha256, "")));
  await place.remove([...saved].filter((path) => !isNeeded(path)));

  if (foreign.length === 0) return;
  place.context.reporter.warn(
    `below ${place.uri} these are not removed, because someone else overwrote them: ${firstOf(foreign.sort())}`,
  );
}

/** When a copy was published last, by the clock of the place. `-Infinity` if every owner is removing it. */
function publishedAt({ sha256, modifiedAtMs }: FoundRecord, marks: Inventory["marks"]): number {
  const owners = marks.get(sha256) ?? [];
  if (owners.length === 0) return modifiedAtMs; // of a version without marks
  return Math.max(...owners.filter(({ isLeaving }) => !isLeaving).map(({ writtenAt }) => writtenAt));
}

/** The newest of the copies that stay which has a file of this path. */
const heirOf = (path: string, stay: readonly FoundRecord[]): FoundRecord | undefined =>
  stay.find(({ files }) => files.has(path));

/** A path that a copy gets back. */
interface Inherited {
  readonly heir: FoundRecord;
  readonly path: string;
  /** Of the copy's file there; empty until it is restored. */
  revision: Revision;
}

/** Decides what becomes of the objects of copies that are removed: all others stay. @param stay the records of copies that stay, the newest first */
async function fatesOf(
  place: OwnedPlace,
  { objects, saved }: Inventory,
  gone: readonly FoundRecord[],
  stay: readonly FoundRecord[],
) {
  const paths = new Set<string>();
  for (const { files } of gone)
    for (const path of files.keys())
      if (heirOf(path, stay)?.files.get(path)?.revision !== objects.get(path)?.revision) paths.add(path);
  const written = new Set(await writtenByCopies(place, objects, gone, paths));
  /** Objects that the copies wrote, and no other one needs. */
  const removable: string[] = [];
  /** Objects of nobody. */
  const foreign: string[] = [];
  const inherited: Inherited[] = [];
  for (const path of paths) {
    const revision = objects.get(path)?.revision;
    if (revision === undefined) continue;
    const heir = heirOf(path, stay);
    const wrote = gone.find(({ files }) => files.get(path)?.revision === revision);
    if (!written.has(path)) {
      if (heir === undefined) foreign.push(path);
    } else if (heir === undefined) removable.push(path);
    // an incomplete copy may be the work of a run that is still active
    else if (!heir.isWhole) continue;
    // the same content under another revision
    else if (heir.files.get(path)?.sha256 === wrote?.files.get(path)?.sha256)
      inherited.push({ heir, path, revision });
    else if (saved.has(savedPath(heir.sha256, path))) inherited.push({ heir, path, revision: "" });
    else removable.push(path);
  }
  return { removable, foreign, inherited };
}

/** Gives files that were kept their paths back. Pages last: what a page loads exists as long as the page. */
async function restore(place: OwnedPlace, files: readonly Inherited[]): Promise<void> {
  const restoreOne = async (file: Inherited): Promise<void> => {
    const from = place.key(savedPath(file.heir.sha256, file.path));
    file.revision = (await place.objects.copy(from, place.key(file.path))) ?? "";
  };
  for (const isNow of [false, true]) {
    const now = files.filter(({ path, revision }) => revision === "" && isPage(path) === isNow);
    await inParallel(now, CONCURRENCY, restoreOne);
  }
}

/** Restores files that had to make room for a folder or a file of a removed copy, and completes the records of the heirs. */
async function completeHeirs(
  place: OwnedPlace,
  { objects, saved }: Inventory,
  stay: readonly FoundRecord[],
  inherited: readonly Inherited[],
  removed: ReadonlySet<string>,
): Promise<void> {
  for (const heir of stay.filter(({ isWhole }) => isWhole)) {
    const { sha256, isWhole, headersVersion, derived, revalidated } = heir;
    const missing = [...heir.files.keys()].filter(
      (path) => (!objects.has(path) || removed.has(path)) && heirOf(path, stay) === heir,
    );
    const isSaved = (path: string): boolean => saved.has(savedPath(sha256, path));
    const restored = missing.filter(isSaved).map((path): Inherited => ({ heir, path, revision: "" }));
    await restore(place, restored);
    const lost = missing.filter((path) => !isSaved(path)).sort();
    const others = lost.length > 0 && (await place.ownership.otherOwners(sha256));
    if (others)
      place.context.reporter.warn(
        `below ${place.uri} a copy of ${others} is now without these files: ${firstOf(lost)}. They were replaced while both ` +
          "copies were published. Run `pulumi up --refresh` of that stack: it sends them again",
      );
    const own = [...inherited.filter((each) => each.heir === heir), ...restored];
    const given = own.filter(({ revision }) => revision !== "");
    if (given.length === 0) continue;
    const files = new Map<string, RecordedFile>(heir.files);
    for (const { path, revision } of given) files.set(path, { sha256: "", ...files.get(path), revision });
    await putRecord(place, { sha256, isWhole, headersVersion, files, derived, revalidated });
    await place.remove(given.map(({ path }) => savedPath(sha256, path)).filter((path) => saved.has(path)));
  }
}

/**
 * Aborts multipart uploads of files of these copies that a killed run left. While other owners have copies below the prefix, only
 * those without activity: another run may be sending the rest.
 */
export async function clearSiteUploads(
  place: OwnedPlace,
  { others }: Inventory,
  copies: readonly Pick<SiteRecord, "files">[],
): Promise<void> {
  const isOurs = (path: string): boolean => copies.some(({ files }) => files.has(path));
  await clearUploads(place, isOurs, () => others.size > 0);
}
