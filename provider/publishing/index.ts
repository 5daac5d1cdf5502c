// The only way in to what publishes a bundle.

// An inspected bundle: an archive that may be published, and what is known of its site.
export { ArchiveFile } from "./archives/archiveFile";
export { archiveFormat } from "./archives/format";
export { readTarGz } from "./archives/readTar";
export { forPacker, shown } from "./archives/refusal";
export type { SiteLimits } from "./archives/siteSink";
export { DEFAULT_UNPACKED_BYTES } from "./archives/unpackedBound";
export { unpublished } from "./archives/unpublished";
export { inspectBundle, type Bundle, type Inspection, type Unpacking } from "./inspection/bundle";
export type { ExternalLoad } from "./inspection/siteLoads";
export { isNotInspected } from "./inspection/inspectionBudget";
export { SiteDigests } from "./inspection/siteDigests";

// What is added to a site: the search, pages for agents, files of other hosts.
export {
  ADDITION_NAMES,
  additionsOf,
  editionOf,
  GUESSED_ADDITIONS,
  wantedIn,
  type SiteAdditions,
} from "./additions/additions";
export { unpackSite, type AdditionFacts, type WantedAdditions } from "./additions/unpackSite";
export type { AssetPolicy } from "./externalAssets/assetRequest";
export { externalCode } from "./externalAssets/externalCode";
export type { FetchedAsset } from "./externalAssets/fetchedAsset";
export type { ReadCopy } from "./externalAssets/keptAssets";
export { patternProblem, type FetchLimits, type FetchOptions } from "./externalAssets/options";
export type { LlmsTxtOptions } from "./llmsTxt/options";
export type { SearchOptions } from "./offlineSearch/options";

// A destination: claims its place, publishes, compares, prunes and releases copies.
export { tryAccess, type AccessFinding } from "./destinations/access";
export { ADDRESS_FORMS, parseCopyAddress } from "./destinations/copyAddress";
export {
  type ChangedFiles,
  type Copy,
  type CopyComparison,
  type CopyLink,
  type DestinationContext,
  type FoundCopy,
  type Kept,
  type Layout,
  type PublishedCopy,
  type SiteChanges,
} from "./destinations/destination";
export { describeDestination, destinationOf } from "./destinations/destinationOf";
export { removeRecordedCopies } from "./destinations/folder/folderDestination";
export { folderPlaces } from "./destinations/folder/inputs";
export {
  DESTINATION_KINDS,
  checkDestination,
  destinationChange,
  destinationKey,
  destinationPlace,
  ownPlaceOf,
  placesOf,
  type DestinationInputs,
  type DestinationKind,
} from "./destinations/inputs";
export { keepsArchives, kindFacts } from "./destinations/kinds";
export type { BucketEncryption, BucketInputs } from "./destinations/objectStore/s3/inputs";
export { removedMeanwhile } from "./destinations/removedMeanwhile";
export type { RepositoryInputs } from "./destinations/repository/inputs";

// Whose a place is.
export { folderOwner, folderRecords, folderRefusal } from "./ownership/folderMark";
export { isOwnerId, newOwner, type Owner } from "./ownership/owner";
export type { Claimant } from "./ownership/placeDecision";
export type { PlaceContext } from "./ownership/placeOwner";

// A download.
export { download, type DownloadContext, type Downloaded } from "./download/download";

// An image: read from a registry, built of a site, signed, and described.
export { OciLayout, type LayoutArtifact, type SignedImage } from "./images/layout/ociLayout";
export type { Origin } from "./images/provenance/origin";
export { imageComponent, sbomText, siteComponents, type SbomComponent } from "./images/provenance/sbom";
export { slsaProvenance } from "./images/provenance/slsaProvenance";
export { RegistryClient } from "./images/registry/client";
export { fieldsOf, type Blob } from "./images/registry/content";
export { downloadBlob } from "./images/registry/download";
export type { RegistryContext } from "./images/registry/exchange";
export { readImage, type Platform, type StoredImage } from "./images/registry/image";
export { type Manifest } from "./images/registry/manifests";
export { baseProblem, parseBase, repositoryName } from "./images/registry/reference";
export { transferProgress } from "./images/registry/transferProgress";
export { signatureProblem } from "./images/signing/imageSignature";
export { signerFrom, type Signer } from "./images/signing/signer";
export { verifierFrom, type Verifier } from "./images/signing/verifier";
export { LayerWriter } from "./images/siteImage/layer";
export { annotationsOf, imageOnBase, indexOf, type Base } from "./images/siteImage/siteImage";

// An archive that is written. The same files give the same bytes.
export { GzipFile } from "./archives/writeGzip";
export { tarOf, type TarFile } from "./archives/writeTar";
