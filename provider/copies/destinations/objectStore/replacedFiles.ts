import { inParallel } from "../../../runtime/concurrency/inParallel";
import { DestinationError } from "../../../runtime/messages/errors";
import { CONCURRENCY } from "./objectStore";
import { savedPath, type Inventory } from "./siteInventory";
import type { OwnedPlace } from "./bucketMarks";

/**
 * Keeps the files of other owners' copies that a publication is about to replace: they get their paths back when the owner of the
 * publication leaves. A warning names these owners.
 *
 * @param edition of the publication
 * @param paths that the publication writes or removes
 */
export async function saveReplaced(
  place: OwnedPlace,
  edition: string,
  inventory: Inventory,
  paths: readonly string[],
): Promise<void> {
  const { context, objects } = place;
  const { reporter, signal } = context;
  for (const record of inventory.records) {
    if (record.sha256 === edition || !record.isWhole || !inventory.others.has(record.sha256)) continue;
    const replaced = paths.filter((path) => {
      const listed = inventory.objects.get(path);
      return listed !== undefined && record.files.get(path)?.revision === listed.revision;
    });
    if (replaced.length === 0) continue;
    const others = await place.ownership.otherOwners(record.sha256);
    if (others !== undefined) {
      reporter.warn(
        `below ${place.uri} this copy replaces ${replaced.length} files of a copy of ${others}, which gets them back when this ` +
          "resource is removed. Give each resource a prefix of its own",
      );
    }
    try {
      await inParallel(replaced, CONCURRENCY, async (path) => {
        const key = place.key(savedPath(record.sha256, path));
        if (Buffer.byteLength(key) <= objects.longestKeyBytes) await objects.copy(place.key(path), key);
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
