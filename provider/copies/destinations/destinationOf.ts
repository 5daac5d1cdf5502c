import { isUnknown } from "../../runtime/messages/plainText";
import type { Destination } from "./destination";
import { archiveFolder } from "./folder/archiveFolder";
import { siteFolder } from "./folder/siteFolder";
import { type DestinationInputs, type ForEachKind, forItsKind } from "./inputs";
import { azureDestination } from "./objectStore/azure/azureStore";
import { gcsDestination } from "./objectStore/gcs/gcsStore";
import { s3Destination } from "./objectStore/s3/s3Store";
import { repositoryDestination } from "./repository/repositoryDestination";

const FOLDERS = { archive: archiveFolder, site: siteFolder };

const DESTINATIONS: ForEachKind<Destination> = {
  folder: ({ folder, layout = "archive" }) => FOLDERS[layout](folder),
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
