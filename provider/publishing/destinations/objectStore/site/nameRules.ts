import { DestinationError } from "../../../../base/runtime/messages/errors";
import { firstOf } from "../../../../base/runtime/messages/firstOf";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import type { BucketPlace } from "../bucketPlace";

/** How many names a refusal has. */
const MAX_NAMED = 5;

/** Checks that a bucket can keep files under their names. @throws DestinationError */
export function checkNames(place: BucketPlace, paths: Iterable<string>): void {
  const byRule = new Map<string, string[]>();
  for (const path of paths) {
    if (path === RECORDS_FOLDER || path.startsWith(`${RECORDS_FOLDER}/`)) {
      throw new DestinationError(
        `the site has a file ${path}, in the folder of the copies' records`,
        `Remove the folder ${RECORDS_FOLDER} from the site.`,
      );
    }
    if (isTooLong(place, path)) {
      throw new DestinationError(
        `the name of the site's file ${path} is too long for a bucket`,
        `Keys have ${place.objects.longestKeyBytes} bytes at most, the prefix included.`,
      );
    }
    const rule = place.objects.brokenRule?.(place.key(path));
    if (rule !== undefined) byRule.set(rule, [...(byRule.get(rule) ?? []), path]);
  }
  for (const [rule, broken] of byRule) {
    throw new DestinationError(
      `${place.uri} cannot keep these files of the site under their names: ${firstOf(broken, MAX_NAMED)}. ${rule}`,
      "Nothing was written. Rename the files in the site's sources, or use another kind of destination.",
    );
  }
}

/** Whether a bucket can keep an object under a name. */
export const isPossible = (place: BucketPlace, path: string): boolean =>
  !isTooLong(place, path) && place.objects.brokenRule?.(place.key(path)) === undefined;

const isTooLong = (place: BucketPlace, path: string): boolean =>
  Buffer.byteLength(place.key(path)) > place.objects.longestKeyBytes;
