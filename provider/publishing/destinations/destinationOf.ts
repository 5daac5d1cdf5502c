import { isUnknown } from "../../base/runtime/messages/plainText";
import type { Destination } from "./destination";
import { folderDestination } from "./folder/folderDestination";
import { type DestinationInputs, type ForEachKind, forItsKind } from "./inputs";
import { azureDestination } from "./objectStore/azure/azureStore";
import { gcsDestination } from "./objectStore/gcs/gcsStore";
import { s3Destination } from "./objectStore/s3/s3Store";
import { repositoryDestination } from "./repository/repositoryDestination";

const DESTINATIONS: ForEachKind<Destination> = {
  folder: folderDestination,
  bucket: s3Destination,
  azureContainer: azureDestination,
  gcsBucket: gcsDestination,
  repository: repositoryDestination,
};

/** The implementation of a destination for its inputs. */
export function destinationOf(destination: DestinationInputs): Destination {
  return forItsKind(destination, DESTINATIONS);
}

/** The destination in messages: its ID, once it is known. */
export function describeDestination(destination: DestinationInputs): string {
  const isKnown = !isUnknown(destination) && !Object.values(destination).some(isUnknown);
  return isKnown ? destinationOf(destination).id : "a destination that is not known yet";
}
