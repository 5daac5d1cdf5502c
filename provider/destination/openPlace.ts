import { isUnknown } from "../words/unknown";
import { bucketDestination } from "./bucket/bucketDestination";
import type { Destination } from "./destination";
import { folderDestination } from "./folder/folderDestination";
import type { Place } from "./place";
import { repositoryDestination } from "./repository/repositoryDestination";

/** The place, to be asked and written to. */
export function destinationOf(place: Place): Destination {
  if ("folder" in place) return folderDestination(place);
  if ("bucket" in place) return bucketDestination(place);
  return repositoryDestination(place);
}

/** The place in messages: its id, where that is known already. */
export function nameOfPlace(place: Place): string {
  const isKnown = !isUnknown(place) && !Object.values(place).some(isUnknown);
  return isKnown ? destinationOf(place).id : "a place that is not known yet";
}
