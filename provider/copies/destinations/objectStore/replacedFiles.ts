import { inParallel } from "../../../runtime/concurrency/inParallel";
import { DestinationError } from "../../../runtime/messages/errors";
import { LONGEST_KEY_BYTES } from "./inputs";
import { CONCURRENCY, copyObject } from "./objects";
import { savedPath, type FoundRecord, type Inventory } from "./siteInventory";
import { hasOtherOwner, putRecord, siteOwnership } from "./siteOwnership";
import type { RecordedFile } from "./siteRecord";
import type { Store } from "./store";

/**
 * Keeps the files of other owners' copies that a publication is about to replace: they get their paths back when the owner of the
 * publication leaves. A warning names these owners.
 *
 * @param edition of the publication
 * @param paths that the publication writes or removes
 */
export async function saveReplaced(
  store: Store,
  edition: string,
  inventory: Inventory,
  paths: readonly string[],
): Promise<void> {
  const { reporter, signal } = store.context;
  for (const record of inventory.records) {
    if (record.sha256 === edition || !record.isWhole || !hasOtherOwner(store, inventory, record.sha256))
      continue;
    const replaced = paths.filter((path) => {
      const etag = inventory.objects.get(path)?.etag;
      return etag !== undefined && record.files.get(path)?.etag === etag;
    });
    if (replaced.length === 0) continue;
    const others = await siteOwnership(store).otherOwners(record.sha256);
    if (others !== undefined) {
      reporter.warn(
        `below ${store.uri} this copy replaces ${replaced.length} files of a copy of ${others}, which gets them back when this ` +
          "resource is removed. Give each resource a prefix of its own",
      );
    }
    try {
      await inParallel(replaced, CONCURRENCY, async (path) => {
        const key = store.key(savedPath(record.sha256, path));
        if (Buffer.byteLength(key) <= LONGEST_KEY_BYTES) await copyObject(store, store.key(path), key);
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
  /** Another copy has the same content under another ETag. */
  | { readonly action: "adopt"; readonly heir: FoundRecord; readonly etag: string };

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
  const etag = objects.get(path)?.etag;
  const heir = stay.find(({ files }) => files.has(path));
  if (heir === undefined) return { action: isWritten ? "remove" : "stay" };
  const wanted = heir.files.get(path);
  // an incomplete copy may be the work of a run that is still active
  if (!heir.isWhole || (etag !== undefined && (wanted?.etag === etag || !isWritten)))
    return { action: "stay" };
  if (etag !== undefined && wanted?.sha256 === sha256) return { action: "adopt", heir, etag };
  if (saved.has(savedPath(heir.sha256, path))) return { action: "restore", heir };
  return { action: isWritten ? "remove" : "stay" };
}

/** Gives files of copies their paths back. @returns the new ETags, by path; of a file that was not kept, none */
export async function restore(
  store: Store,
  restored: readonly { readonly path: string; readonly heir: FoundRecord }[],
): Promise<Map<string, string>> {
  const etags = new Map<string, string>();
  await inParallel(restored, CONCURRENCY, async ({ path, heir }) => {
    const etag = await copyObject(store, store.key(savedPath(heir.sha256, path)), store.key(path));
    if (etag !== undefined) etags.set(path, etag);
  });
  return etags;
}

/** Writes the new ETags of files into the record of their copy. */
export async function updateRecord(
  store: Store,
  record: FoundRecord,
  etags: ReadonlyMap<string, string>,
): Promise<void> {
  const files = new Map<string, RecordedFile>(record.files);
  for (const [path, etag] of etags) {
    const file = files.get(path);
    if (file) files.set(path, { ...file, etag });
  }
  const { sha256, isWhole, headersVersion, derived } = record;
  await putRecord(store, { sha256, isWhole, headersVersion, files, derived });
}
