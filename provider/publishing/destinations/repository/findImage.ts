import { join } from "node:path";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { isDigest } from "../../../base/runtime/values/digest";
import { present } from "../../../base/runtime/values/fields";
import { PREDICATE_TYPES } from "../../images/provenance/imageStatements";
import { hasBlob } from "../../images/registry/blobs";
import { type Annotations, annotationsIn, describe, listIn } from "../../images/registry/content";
import { downloadBlob } from "../../images/registry/download";
import { readImage, type StoredImage } from "../../images/registry/image";
import { pinned } from "../../images/registry/reference";
import { signatureTag } from "../../images/signing/artifacts";
import { findArtifacts } from "../../images/signing/signedImage";
import type { Verifier } from "../../images/signing/verifier";
import { compressedPath, siteRoot } from "../../images/siteImage/layer";
import { filesIn, type PreviousLayer } from "../../images/siteImage/previousFiles";
import { BUNDLE_LABEL, PREVIOUS_LABEL } from "../../images/siteImage/siteImage";
import { SiteDigests } from "../../inspection/siteDigests";
import type { FoundCopy, WantedFiles } from "../destination";
import { fileListOf, manifestsOf, type Parts } from "./imageParts";
import { isThere, type RepositoryPlace } from "./repositoryPlace";

/**
 * Finds an image that is a copy: reads its manifests and its site, each verified by its digest.
 *
 * @param verifier of its signature, provenance and SBOM
 * @throws DestinationError when it is not there, or no copy of this package
 */
export async function findImage(
  place: RepositoryPlace,
  digest: string,
  verifier?: Verifier,
): Promise<FoundCopy> {
  const { client } = place;
  const image = pinned(client.repository, digest);
  const { images } = await readImage(client, { ...client.repository, digest });
  const [first, ...others] = images;
  // not the labels, which also contain those of a base
  const annotations: Annotations = first ? annotationsIn(first.manifest.bytes) : {};
  const sha256 = annotations[BUNDLE_LABEL];
  const layer = first?.layers.at(-1);
  const hasOther = others.some(({ layers }) => layers.at(-1)?.digest !== layer?.digest);
  if (sha256 === undefined || first === undefined || layer === undefined || hasOther) {
    throw new DestinationError(
      sha256 === undefined
        ? `${image} has no annotation ${BUNDLE_LABEL}`
        : `the images in ${image} do not have the same site`,
      "It is no copy of this package. Make a new copy in this repository.",
    );
  }
  const base = baseOf(annotations);
  const previous = previousOf(first, annotations);
  const artifacts = verifier && (await findArtifacts(client, digest, PREDICATE_TYPES, verifier));
  const { files, derived } = await filesOf(place, first);
  const list = await fileListOf(new Map([...files].filter(([path]) => !derived.has(path))));
  const hasList = await hasBlob(client, list.digest);
  return {
    copy: {
      uri: image,
      image,
      ...(artifacts && { publicKey: verifier.publicKey }),
      parts: {
        manifests: manifestsOf(digest, images),
        ...(artifacts && { artifacts }),
        ...(hasList && { files: describe(list) }),
        ...(previous && { previous }),
      } satisfies Parts,
    },
    isSigned: await isThere(place, signatureTag(digest)),
    sha256,
    files,
    source: present<Record<string, string>>({
      domain: annotations["org.opencontainers.image.title"],
      jobId: annotations["org.opencontainers.image.revision"],
      version: annotations["org.opencontainers.image.version"],
    }),
    ...(base !== undefined && { destination: { base } }),
  };
}

/** The layer with files of the version before: below that of the site. */
function previousOf(
  { layers, config }: StoredImage,
  { [PREVIOUS_LABEL]: of }: Annotations,
): PreviousLayer | undefined {
  const layer = layers.at(-2);
  const diffId = listIn(config["rootfs"], "diff_ids").at(-2);
  if (layer === undefined || of === undefined || !isDigest(diffId)) return undefined;
  return { digest: layer.digest, size: layer.size, diffId, of };
}

/** The input `base`: a name without a tag was given with its digest. */
function baseOf(annotations: Annotations): string | undefined {
  const name = annotations["org.opencontainers.image.base.name"];
  const digest = annotations["org.opencontainers.image.base.digest"];
  if (name === undefined) return undefined;
  return /:[^/]+$/.test(name) || digest === undefined ? name : `${name}@${digest}`;
}

/** The site of an image. */
interface ImageFiles {
  /** The SHA-256 of each file, by its path below the site's root. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths of those that the image may have added. */
  readonly derived: ReadonlySet<string>;
}

/**
 * Reads the site of an image that a copy made.
 *
 * @throws DestinationError when it is not there; the signal's reason
 */
export async function readImageFiles(place: RepositoryPlace, digest: string): Promise<ImageFiles> {
  const { images } = await readImage(place.client, { ...place.client.repository, digest });
  return filesOf(place, images[0]);
}

/** Reads some files of the site of an image. @throws DestinationError when it is not there; the signal's reason */
export async function readSiteFiles(
  place: RepositoryPlace,
  digest: string,
  { isWanted, take }: WantedFiles,
): Promise<void> {
  const { images } = await readImage(place.client, { ...place.client.repository, digest });
  const layer = await downloadSite(place, images[0]);
  for await (const { path, content } of layer ? filesIn(layer, place.context.signal) : []) {
    if (isWanted(path)) await take(path, Buffer.concat(await Array.fromAsync(content)));
  }
}

async function filesOf(place: RepositoryPlace, image: StoredImage | undefined): Promise<ImageFiles> {
  const digests = new SiteDigests();
  const layer = await downloadSite(place, image);
  for await (const file of layer ? filesIn(layer, place.context.signal) : []) {
    await digests.file(file, file.content);
  }
  const files = digests.digests();
  return { files, derived: new Set([...files.keys()].map(compressedPath).filter((path) => files.has(path))) };
}

/**
 * Downloads the layer of an image with its site, which is the last one. Once in an operation.
 *
 * @returns its local file, and the folder of the site in it
 */
export async function downloadSite(
  { client, context }: RepositoryPlace,
  image: StoredImage | undefined,
): Promise<{ path: string; root: string } | undefined> {
  const layer = image?.layers.at(-1);
  if (image === undefined || layer === undefined) return undefined;
  const path = join(await context.scratch(), `site-${layer.digest.replace(":", "-")}`);
  await downloadBlob(client, layer, path);
  return { path, root: siteRoot(baseOf(annotationsIn(image.manifest.bytes)) !== undefined) };
}
