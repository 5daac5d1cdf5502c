import { inParallel } from "../../../runtime/concurrency/inParallel";
import { DestinationError } from "../../../runtime/messages/errors";
import { CONCURRENCY } from "./objectStore";
import { savedPath, type Inventory } from "./siteInventory";
import { hasOtherOwner, siteOwnership } from "./siteOwnership";
import type { RecordedFile } from "./siteRecord";
import { putRecord, type FoundRecord } from "./storedRecords";
import type { BucketPlace } from "./bucketPlace";

/**
 * Keeps the files of other owners' copies that a publication is about to replace: they get their paths back when the owner of the
 * publication leaves. A warning names these owners.
 *
 * @param edition of the publication
 * @param paths that the publication writes or removes
 */
export async function saveReplaced(
  place: BucketPlace,
  edition: string,
  inventory: Inventory,
  paths: readonly string[],
): Promise<void> {
  const { context, objects } = place;
  const { reporter, signal } = context;
  for (const record of inventory.records) {
    if (record.sha256 === edition || !record.isWhole || !hasOtherOwner(place, inventory, record.sha256))
      continue;
    const replaced = paths.filter((path) => {
      const revision = inventory.objects.get(path)?.revision;
      return revision !== undefined && record.files.get(path)?.revision === revision;
    });
    if (replaced.length === 0) continue;
    const others = await siteOwnership(place).otherOwners(record.sha256);
    if (others !== undefined) {
      reporter.warn(
        `below ${place.uri} this copy replaces ${replaced.length} files of a copy of ${others}, which gets them back when this ` +
          "resource is removed. Give each resource a prefix of its own",
      );
    }
    try {
      await inParallel(replaced, CONCURRENCY, async (path) => {
        const key = place.key(savedPath(record.sha256, path));
        if (Buffer.byteLength(key) <= objects.longestKeyBytes) await place.objects.copy(place.key(path), key);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DestinationError)) throw error;
      reporter.warn(
        `the files of that copy could not be kept, so its next \`pulumi up\` must send them again: ${error.message}`,
      );
    }
  }
}

/** What becomes of a path when copies are removed. */
export type Fate =
  /** The file of another copy, or of nobody: it stays. */
  | { readonly action: "stay" }
  | { readonly action: "remove" }
  /** Another copy's file gets the path back. */
  | { readonly action: "restore"; readonly heir: FoundRecord }
  /** Another copy has the same content under another revision. */
  | { readonly action: "adopt"; readonly heir: FoundRecord; readonly revision: string };

/**
 * Decides about a path of copies that are removed.
 *
 * @param stay the records of copies that stay, the newest first
 * @param isWritten whether the object at the path is one that the removed copies wrote
 * @param sha256 of the object, as the removed copies recorded it
 */
export function fateOf(
  path: string,
  { objects, saved }: Inventory,
  stay: readonly FoundRecord[],
  isWritten: boolean,
  sha256: string | undefined,
): Fate {
  const revision = objects.get(path)?.revision;
  const heir = stay.find(({ files }) => files.has(path));
  if (heir === undefined) return { action: isWritten ? "remove" : "stay" };
  const wanted = heir.files.get(path);
  // an incomplete copy may be the work of a run that is still active
  if (!heir.isWhole || (revision !== undefined && (wanted?.revision === revision || !isWritten)))
    return { action: "stay" };
  if (revision !== undefined && wanted?.sha256 === sha256) return { action: "adopt", heir, revision };
  if (saved.has(savedPath(heir.sha256, path))) return { action: "restore", heir };
  return { action: isWritten ? "remove" : "stay" };
}

/** Gives files of copies their paths back. @returns the new revisions, by path; of a file that was not kept, none */
export async function restore(
  place: BucketPlace,
  restored: readonly { readonly path: string; readonly heir: FoundRecord }[],
): Promise<Map<string, string>> {
  const revisions = new Map<string, string>();
  await inParallel(restored, CONCURRENCY, async ({ path, heir }) => {
    const revision = await place.objects.copy(place.key(savedPath(heir.sha256, path)), place.key(path));
    if (revision !== undefined) revisions.set(path, revision);
  });
  return revisions;
}

/** Writes the new revisions of files into the record of their copy. */
export async function updateRecord(
  place: BucketPlace,
  record: FoundRecord,
  revisions: ReadonlyMap<string, string>,
): Promise<void> {
  const files = new Map<string, RecordedFile>(record.files);
  for (const [path, revision] of revisions) {
    const file = files.get(path);
    if (file) files.set(path, { ...file, revision });
  }
  const { sha256, isWhole, headersVersion, derived } = record;
  await putRecord(place, { sha256, isWhole, headersVersion, files, derived });
}
