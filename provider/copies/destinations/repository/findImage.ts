import { join } from "node:path";
import { createHash } from "node:crypto";
import { DestinationError } from "../../../runtime/messages/errors";
import { hasBlob } from "../../../images/registry/blobs";
import { annotationsIn, describe, fieldsOf } from "../../../images/registry/content";
import { downloadBlob } from "../../../images/registry/download";
import { readImage, type StoredImage } from "../../../images/registry/image";
import { isDigest, pinned } from "../../../images/registry/reference";
import { findManifest } from "../../../images/registry/manifests";
import type { RegistryClient } from "../../../images/registry/client";
import { signatureTag } from "../../../images/signing/artifacts";
import { findArtifacts } from "../../../images/signing/signedImage";
import type { Verifier } from "../../../images/signing/verifier";
import { compressedPath, siteRoot } from "../../../images/siteImage/layer";
import { filesIn, type PreviousLayer } from "../../../images/siteImage/previousFiles";
import { BUNDLE_LABEL, PREVIOUS_LABEL } from "../../../images/siteImage/siteImage";
import type { CopiedFiles, DestinationContext, FoundCopy } from "../destination";
import { fileListOf } from "./fileList";
import { PREDICATE_TYPES } from "../../../images/provenance/imageStatements";

type Annotations = Readonly<Record<string, string | undefined>>;

/** The fields of the input `source`, by the annotation that has each. */
const SOURCE_ANNOTATIONS = {
  "org.opencontainers.image.title": "domain",
  "org.opencontainers.image.revision": "jobId",
  "org.opencontainers.image.version": "version",
} as const;

/**
 * Finds an image that is a copy: reads its manifests and its site, each verified by its digest.
 *
 * @param verifier of its signature, provenance and SBOM
 * @throws DestinationError when it is not there, or no copy of this package
 */
export async function findImage(
  client: RegistryClient,
  digest: string,
  context: DestinationContext,
  verifier?: Verifier,
): Promise<FoundCopy> {
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
  const source = Object.entries(SOURCE_ANNOTATIONS).flatMap(([annotation, field]) => {
    const value = annotations[annotation];
    return value === undefined ? [] : [[field, value] as const];
  });
  const manifests = [...new Set([digest, ...images.map(({ manifest }) => manifest.digest)])];
  const previous = previousOf(first, annotations);
  const artifacts = verifier && (await findArtifacts(client, digest, PREDICATE_TYPES, verifier));
  const { files, derived } = await filesOf(client, first, context);
  const list = await fileListOf(new Map([...files].filter(([path]) => !derived.has(path))));
  const hasList = await hasBlob(client, list.digest);
  return {
    copy: {
      ...{ uri: image, image },
      ...(artifacts && { publicKey: verifier.publicKey }),
      parts: {
        manifests,
        ...(artifacts && { artifacts }),
        ...(hasList && { files: describe(list) }),
        ...(previous && { previous }),
      },
    },
    isSigned: (await findManifest(client, signatureTag(digest))) !== undefined,
    sha256,
    files,
    source: Object.fromEntries(source),
    ...(base !== undefined && { destination: { base } }),
  };
}

/** The layer with files of the version before: below that of the site. */
function previousOf(
  { layers, config }: StoredImage,
  { [PREVIOUS_LABEL]: of }: Annotations,
): PreviousLayer | undefined {
  const layer = layers.at(-2);
  const { diff_ids: diffIds } = fieldsOf(config["rootfs"]);
  const diffId = Array.isArray(diffIds) ? (diffIds as unknown[]).at(-2) : undefined;
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

/**
 * Reads the site of an image that a copy made.
 *
 * @returns the SHA-256 of each file, by its path below the site's root, and which of them the image may have added
 * @throws DestinationError when it is not there; the signal's reason
 */
export async function readImageFiles(
  client: RegistryClient,
  digest: string,
  context: DestinationContext,
): Promise<CopiedFiles> {
  const { images } = await readImage(client, { ...client.repository, digest });
  const [first] = images;
  return first ? filesOf(client, first, context) : { files: new Map() };
}

async function filesOf(
  client: RegistryClient,
  image: StoredImage,
  context: DestinationContext,
): Promise<Required<CopiedFiles>> {
  const files = new Map<string, string>();
  const layer = await downloadSite(client, image, context);
  for await (const { path, content } of layer ? filesIn(layer, context.signal) : []) {
    const hash = createHash("sha256");
    for await (const piece of content) hash.update(piece);
    files.set(path, hash.digest("hex"));
  }
  const derived = [...files.keys()].map(compressedPath).filter((path) => files.has(path));
  return { files, derived: new Set(derived) };
}

/**
 * Downloads the layer of an image with its site, which is the last one. Once in an operation.
 *
 * @returns its local file, and the folder of the site in it
 */
export async function downloadSite(
  client: RegistryClient,
  image: StoredImage,
  { scratch }: DestinationContext,
): Promise<{ path: string; root: string } | undefined> {
  const layer = image.layers.at(-1);
  if (layer === undefined) return undefined;
  const path = join(await scratch(), `site-${layer.digest.replace(":", "-")}`);
  await downloadBlob(client, layer, path);
  return { path, root: siteRoot(baseOf(annotationsIn(image.manifest.bytes)) !== undefined) };
}
