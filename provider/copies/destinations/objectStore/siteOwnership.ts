import type { Ownership } from "../../ownership/ownership";
import { bucketOwnership } from "./bucketMarks";
import type { Inventory } from "./siteInventory";
import type { BucketPlace } from "./bucketPlace";

/** The rights of the operation's owner at the sites below the prefix. An item is a copy's edition. */
export function siteOwnership(place: BucketPlace): Ownership {
  return bucketOwnership(place, (edition) => `${place.uri}/#sha256:${edition}`);
}

/** Whether an owner other than the operation's has a copy, and stays. */
export function hasOtherOwner(
  place: BucketPlace,
  { marks }: Pick<Inventory, "marks">,
  edition: string,
): boolean {
  const { id } = place.context.owner;
  return (marks.get(edition) ?? []).some(({ owner, isLeaving }) => owner !== id && !isLeaving);
}
