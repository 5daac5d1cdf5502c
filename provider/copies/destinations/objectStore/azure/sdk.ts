// the types of the modules that `import()` loads
import type * as Identity from "@azure/identity" with { "resolution-mode": "import" };
import type * as Blobs from "@azure/storage-blob" with { "resolution-mode": "import" };
import { loadPackages, verifyPackages } from "../optionalPackages";

export type BlobsSdk = typeof Blobs;
export type IdentitySdk = typeof Identity;

export type BlobItem = Blobs.BlobItem;
export type BlockBlobClient = Blobs.BlockBlobClient;
export type ContainerClient = Blobs.ContainerClient;
export type ListOptions = Blobs.ContainerListBlobsOptions;
export type SharedKey = Blobs.StorageSharedKeyCredential;
export type TokenCredential = Identity.TokenCredential;

const PACKAGES = {
  user: "a container of Azure as destination",
  library: "the Azure SDK",
  names: ["@azure/storage-blob", "@azure/identity"],
};

/** Loads the library of blobs. @throws as {@link loadPackages} */
export function loadBlobs(
  load: () => Promise<BlobsSdk> = () => import("@azure/storage-blob"),
): Promise<BlobsSdk> {
  return loadPackages(PACKAGES, load);
}

/** Loads the library of identities, which a key or a SAS token does not need. @throws as {@link loadPackages} */
export function loadIdentity(
  load: () => Promise<IdentitySdk> = () => import("@azure/identity"),
): Promise<IdentitySdk> {
  return loadPackages(PACKAGES, load);
}

/** Checks that both are installed. @throws as {@link verifyPackages} */
export function verifyAzureSdk(resolve?: (name: string) => string): void {
  verifyPackages(PACKAGES, resolve);
}
