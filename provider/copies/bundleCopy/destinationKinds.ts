import { join } from "node:path";
import type { CheckFailure } from "../../resource/inputTable";
import { isUnknown } from "../../runtime/messages/plainText";
import { type DestinationInputs, type ForEachKind, forItsKind } from "../destinations/inputs";
import { verifyAzureSdk } from "../destinations/objectStore/azure/sdk";
import { verifySdk } from "../destinations/objectStore/s3/sdk";
import { folderFailures, localFailures } from "../publication/localFailures";

/** What the life cycle of a copy must know of a kind of destination, beside its `Destination`. */
export interface DestinationTraits {
  /** Whether a copy is an image: it always has the site's files, and a place for a signature. Otherwise the `layout` decides. */
  readonly isImage: boolean;
  /** Problems of known fields on this machine, without a request. */
  readonly localFailures: () => readonly CheckFailure[];
  /** The path that a copy has on this machine now, by its name. Absent if it is elsewhere, or not known. */
  readonly localPath?: (name: string) => string;
}

const TRAITS: ForEachKind<DestinationTraits> = {
  folder: ({ folder }) => ({
    isImage: false,
    localFailures: () => folderFailures("destination.folder", folder),
    ...(!isUnknown(folder) && { localPath: (name) => join(folder, name) }),
  }),
  bucket: ({ bucket }) => ({
    isImage: false,
    localFailures: () =>
      localFailures([{ property: "destination.bucket", value: bucket, verify: () => verifySdk() }]),
  }),
  azureContainer: ({ azureContainer: value }) => ({
    isImage: false,
    localFailures: () =>
      localFailures([{ property: "destination.azureContainer", value, verify: () => verifyAzureSdk() }]),
  }),
  repository: () => ({ isImage: true, localFailures: () => [] }),
};

/** The traits of a destination; undefined for one that is not known yet. */
export function traitsOf(destination: DestinationInputs): DestinationTraits | undefined {
  return isUnknown(destination) ? undefined : forItsKind(destination, TRAITS);
}
