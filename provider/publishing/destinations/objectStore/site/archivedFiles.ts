import { firstOf } from "../../../../base/runtime/messages/firstOf";
import type { BucketPlace } from "../bucketPlace";
import type { ListedObject } from "../objectStore";

/**
 * Names the files that a rule of the bucket or somebody moved to a tier from which the store serves nothing. No revision shows it.
 *
 * @param paths of a copy
 * @returns whether there are any
 */
export function reportArchived(
  place: BucketPlace,
  listed: ReadonlyMap<string, Pick<ListedObject, "archiveTier">>,
  paths: Iterable<string>,
): boolean {
  const archived = [...paths].filter((path) => listed.get(path)?.archiveTier !== undefined).sort();
  const [first] = archived;
  if (first === undefined) return false;
  place.context.reporter.warn(
    `below ${place.uri} readers get no answer for these files, because they are in the tier ${listed.get(first)?.archiveTier}: ` +
      `${firstOf(archived)}. The next \`pulumi up\` writes them again. Exclude copies from the rule that moves them there`,
  );
  return true;
}
