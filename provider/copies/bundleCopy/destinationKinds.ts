import {
  type DestinationInputs,
  type ForEachKind,
  forItsKind,
  verifyAzureSdk,
  verifyGcsSdk,
  verifySdk,
} from "../../publishing/index";
import { basename, join } from "node:path";
import type { CheckFailure } from "../../resource/inputTable";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { folderFailures, localFailures } from "../publication/localFailures";

/** What the life cycle of a copy must know of a kind of destination, beside its `Destination`. */
export interface DestinationTraits {
  /** Whether a copy is an image: it always has the site's files, and a place for a signature. Otherwise the `layout` decides. */
  readonly isImage: boolean;
  /** Problems of known fields on this machine, without a request. */
  readonly localFailures: () => readonly CheckFailure[];
  /** The path that a copy has on this machine now, by an earlier path. Absent if it is elsewhere, or not known. */
  readonly localPath?: (path: string) => string;
}

const TRAITS: ForEachKind<DestinationTraits> = {
  folder: ({ folder }) => ({
    isImage: false,
    localFailures: () => folderFailures("destination.folder", folder),
    ...(!isUnknown(folder) && { localPath: (path) => join(folder, basename(path)) }),
  }),
  bucket: ({ bucket }) => needing(verifySdk, "bucket", bucket),
  azureContainer: ({ azureContainer }) => needing(verifyAzureSdk, "azureContainer", azureContainer),
  gcsBucket: ({ gcsBucket }) => needing(verifyGcsSdk, "gcsBucket", gcsBucket),
  repository: () => ({ isImage: true, localFailures: () => [] }),
};

/** Object storage, whose library must be installed. */
function needing(verify: () => void, field: string, value: string): DestinationTraits {
  return {
    isImage: false,
    localFailures: () => localFailures([{ property: `destination.${field}`, value, verify: () => verify() }]),
  };
}

/** The traits of a destination; undefined for one that is not known yet. */
export function traitsOf(destination: DestinationInputs): DestinationTraits | undefined {
  return isUnknown(destination) ? undefined : forItsKind(destination, TRAITS);
}
