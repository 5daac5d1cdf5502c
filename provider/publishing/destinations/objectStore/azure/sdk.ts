// the types of the modules that `import()` loads
import type * as Identity from "@azure/identity" with { "resolution-mode": "import" };
import type * as Blobs from "@azure/storage-blob" with { "resolution-mode": "import" };
import { optionalPackages } from "../optionalPackages";

export type BlobsSdk = typeof Blobs;
export type BlobItem = Blobs.BlobItem;
export type ListOptions = Blobs.ContainerListBlobsOptions;
export type SharedKey = Blobs.StorageSharedKeyCredential;
export type TokenCredential = Identity.TokenCredential;

const AZURE = optionalPackages({
  user: "a container of Azure as destination",
  library: "the Azure SDK",
  names: ["@azure/storage-blob", "@azure/identity"],
});

/** Checks that both packages are installed. */
export const verifyAzureSdk = AZURE.verify;

/** Loads the library of blobs. */
export const loadBlobs = () => AZURE.load(() => import("@azure/storage-blob"));

/** Loads the library of identities, which a key or a SAS token does not need. */
export const loadIdentity = (load = () => import("@azure/identity")) => AZURE.load(load);
