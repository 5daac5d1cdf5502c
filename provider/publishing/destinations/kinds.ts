import { basename, join } from "node:path";
import type { DestinationError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { folderRefusal } from "../ownership/folderMark";
import { isCopyLayout, type Layout, LAYOUTS } from "./destination";
import { type DestinationInputs, type DestinationKind, type ForEachKind, forItsKind } from "./inputs";
import { verifyAzureSdk } from "./objectStore/azure/sdk";
import { verifyGcsSdk } from "./objectStore/gcs/sdk";
import { verifyS3Sdk } from "./objectStore/s3/sdk";

/** What is known of a kind of destination without a request. */
interface KindFacts {
  /** The field that selects the kind. */
  readonly kind: DestinationKind;
  /** Whether a copy is an image: it always has the site's files, and a place for a signature. Otherwise the `layout` decides. */
  readonly isImage: boolean;
  /** Checks that the library of its store is installed. @throws ConfigurationError */
  readonly verifyLibrary?: () => void;
  /** The path that a copy has on this machine now, by an earlier path. Absent if it is elsewhere, or not known. */
  readonly localPath?: (path: string) => string;
  /** Why the place refuses a new resource, see {@link folderRefusal}. Absent if it is on another machine, or not known. */
  readonly refusal?: (urn: string) => DestinationError | undefined;
}

const FACTS: ForEachKind<KindFacts> = {
  folder: ({ folder }) => ({
    kind: "folder",
    isImage: false,
    ...(!isUnknown(folder) && {
      localPath: (path) => join(folder, basename(path)),
      refusal: (urn) => folderRefusal(folder, urn),
    }),
  }),
  bucket: () => ({ kind: "bucket", isImage: false, verifyLibrary: () => verifyS3Sdk() }),
  azureContainer: () => ({ kind: "azureContainer", isImage: false, verifyLibrary: () => verifyAzureSdk() }),
  gcsBucket: () => ({ kind: "gcsBucket", isImage: false, verifyLibrary: () => verifyGcsSdk() }),
  repository: () => ({ kind: "repository", isImage: true }),
};

/** What is known of a destination without a request; undefined for one that is not known yet. */
export function kindFacts(destination: DestinationInputs): KindFacts | undefined {
  return isUnknown(destination) ? undefined : forItsKind(destination, FACTS);
}

/** Whether copies at a destination are archives, as the service made them: neither images nor the files of a site. */
export function keepsArchives(destination: DestinationInputs): boolean {
  const { layout } = destination as { readonly layout?: Layout };
  return kindFacts(destination)?.isImage === false && isCopyLayout(layout) && LAYOUTS[layout].isArchive;
}
