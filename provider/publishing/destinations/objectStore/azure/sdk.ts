// the types of the modules that `import()` loads
import type * as Identity from "@azure/identity" with { "resolution-mode": "import" };
import type * as Blobs from "@azure/storage-blob" with { "resolution-mode": "import" };
import { optionalPackages, type VerifyPackages } from "../optionalPackages";

export type BlobsSdk = typeof Blobs;
export type BlobServiceClient = Blobs.BlobServiceClient;
export type Container = Blobs.ContainerClient;
export type BlockBlob = Blobs.BlockBlobClient;
export type BlobItem = Blobs.BlobItem;
/** The reply to one request of a batch. */
export type BatchReply = Blobs.BatchSubResponse;
export type ListOptions = Blobs.ContainerListBlobsOptions;
export type SharedKey = Blobs.StorageSharedKeyCredential;
type IdentitySdk = typeof Identity;
export type TokenCredential = Identity.TokenCredential;

const AZURE = optionalPackages({
  user: "a container of Azure as destination",
  library: "the Azure SDK",
  names: ["@azure/storage-blob", "@azure/identity"],
});

/** Checks that both packages are installed. */
export const verifyAzureSdk: VerifyPackages = AZURE.verify;

/** Loads the library of blobs. */
export const loadBlobs = (): Promise<BlobsSdk> => AZURE.load(() => import("@azure/storage-blob"));

/** Loads the library of identities, which a key or a SAS token does not need. */
export const loadIdentity = (
  load: () => Promise<IdentitySdk> = () => import("@azure/identity"),
): Promise<IdentitySdk> => AZURE.load(load);
