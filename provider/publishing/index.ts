// The only way in to what publishes a bundle.
export {
  ADDITION_NAMES,
  additionsOf,
  editionOf,
  GUESSED_ADDITIONS,
  wantedIn,
  type SiteAdditions,
} from "./additions/additions";
export { unpackSite, type AdditionFacts, type WantedAdditions } from "./additions/unpackSite";
export { ArchiveFile } from "./archives/archiveFile";
export { ARCHIVE_NAME, archiveFormat } from "./archives/format";
export { readTarGz } from "./archives/readTar";
export { forPacker, shown } from "./archives/refusal";
export type { ExternalLoad, Inspection, SiteLimits } from "./archives/site";
export { DEFAULT_UNPACKED_BYTES } from "./archives/unpackedBound";
export { unpublished } from "./archives/unpublished";
export { GzipFile } from "./archives/writeGzip";
export { tarEnd, tarHeader, tarPadding } from "./archives/writeTar";
export {
  LAYOUTS,
  isLayout,
  type CopiedFiles,
  type Copy,
  type CopyComparison,
  type CopyLink,
  type Destination,
  type DestinationContext,
  type DestinationField,
  type FoundCopy,
  type Layout,
  type WantedFiles,
} from "./destinations/destination";
export { describeDestination, destinationOf } from "./destinations/destinationOf";
export { folderPlaces } from "./destinations/folder/inputs";
export {
  DESTINATION_KINDS,
  checkDestination,
  destinationChange,
  destinationKey,
  destinationPlace,
  forItsKind,
  ownPlaceOf,
  placesOf,
  type DestinationInputs,
  type DestinationKind,
  type ForEachKind,
} from "./destinations/inputs";
export { openAzure } from "./destinations/objectStore/azure/azureStore";
export { containerIn } from "./destinations/objectStore/azure/inputs";
export { verifyAzureSdk } from "./destinations/objectStore/azure/sdk";
export { BucketPlace, type BucketFields } from "./destinations/objectStore/bucketPlace";
export { openGcs } from "./destinations/objectStore/gcs/gcsStore";
export { verifyGcsSdk } from "./destinations/objectStore/gcs/sdk";
export type { ObjectStore } from "./destinations/objectStore/objectStore";
export type { BucketEncryption, BucketInputs } from "./destinations/objectStore/s3/inputs";
export { openS3 } from "./destinations/objectStore/s3/s3Store";
export { verifySdk } from "./destinations/objectStore/s3/sdk";
export { sendText } from "./destinations/objectStore/sendObject";
export { removedMeanwhile } from "./destinations/removedMeanwhile";
export type { RepositoryInputs } from "./destinations/repository/inputs";
export { ExternalAssets } from "./externalAssets/externalAssets";
export type { ReadCopy } from "./externalAssets/keptAssets";
export type { FetchedAsset } from "./externalAssets/fetchedAssets";
export {
  DEFAULT_FETCH_LIMITS,
  patternProblem,
  type FetchExternal,
  type FetchLimits,
  type FetchOptions,
} from "./externalAssets/options";
export { download, type DownloadContext, type Downloaded } from "./download/download";
export { imageStatements } from "./images/provenance/imageStatements";
export type { Origin } from "./images/provenance/origin";
export { imageComponent, sbomText, siteComponents, type SbomComponent } from "./images/provenance/sbom";
export { slsaProvenance } from "./images/provenance/slsaProvenance";
export { RegistryClient } from "./images/registry/client";
export {
  annotationsIn,
  describe,
  descriptorIn,
  digestOf,
  fieldsOf,
  listIn,
  sha256In,
  type Blob,
} from "./images/registry/content";
export { downloadBlob } from "./images/registry/download";
export type { RegistryContext } from "./images/registry/exchange";
export { readImage, type Platform, type StoredImage } from "./images/registry/image";
export { findManifest, type Manifest } from "./images/registry/manifests";
export { OCI_INDEX } from "./images/registry/mediaTypes";
export {
  baseProblem,
  isDigest,
  parseBase,
  parseRepository,
  repositoryName,
  repositoryProblem,
} from "./images/registry/reference";
export { transferProgress } from "./images/registry/transferProgress";
export { cancelUpload } from "./images/registry/upload";
export {
  attestationTag,
  readLayersOf,
  signatureTag,
  type Artifact,
  type ReadLayer,
} from "./images/signing/artifacts";
export { opened } from "./images/signing/envelope";
export { isSignatureOf, signatureProblem } from "./images/signing/imageSignature";
export { makeArtifacts } from "./images/signing/makeArtifacts";
export { signerFrom, type Signer } from "./images/signing/signer";
export { verifierFrom, type Verifier } from "./images/signing/verifier";
export { LayerWriter, siteRoot } from "./images/siteImage/layer";
export { filesIn } from "./images/siteImage/previousFiles";
export { annotationsOf, imageOnBase, indexOf, type Base } from "./images/siteImage/siteImage";
export { inspectBundle, type Bundle, type Unpacking } from "./inspection/bundle";
export { isNotInspected } from "./inspection/inspectionBudget";
export { SiteDigests, digestSite } from "./inspection/siteDigests";
export type { LlmsTxt, LlmsTxtOptions } from "./llmsTxt/options";
export type { OfflineSearch, SearchOptions } from "./offlineSearch/options";
export { removeRecordedCopies } from "./destinations/folder/folderDestination";
export { folderOwner, folderRecords } from "./ownership/folderMark";
export { isOwnerId, newOwner, type Owner } from "./ownership/owner";
export type { Claimant } from "./ownership/placeDecision";
export { RECORDS_FOLDER } from "./ownership/placeMark";
export type { PlaceContext } from "./ownership/placeOwner";
