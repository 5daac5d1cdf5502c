import { isUnknown } from "../../runtime/messages/plainText";
import { bucketDestination } from "./objectStore/bucketDestination";
import type { Destination } from "./destination";
import { archiveFolder } from "./folder/archiveFolder";
import { siteFolder } from "./folder/siteFolder";
import type { DestinationInputs } from "./inputs";
import { repositoryDestination } from "./repository/repositoryDestination";

/** The implementation of a destination for its inputs. */
export function destinationOf(destination: DestinationInputs): Destination {
  if ("folder" in destination) {
    const { folder, layout } = destination;
    return layout === "site" ? siteFolder(folder) : archiveFolder(folder);
  }
  if ("bucket" in destination) return bucketDestination(destination);
  return repositoryDestination(destination);
}

/** The destination in messages: its ID, once it is known. */
export function describeDestination(destination: DestinationInputs): string {
  const isKnown = !isUnknown(destination) && !Object.values(destination).some(isUnknown);
  return isKnown ? destinationOf(destination).id : "a destination that is not known yet";
}
