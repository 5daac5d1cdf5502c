import { DestinationError } from "../../../base/runtime/messages/errors";
import { isDigest } from "../../../base/runtime/values/digest";
import type { RegistryClient } from "./client";
import { type Descriptor, descriptorIn, fieldAt, fieldsOf } from "./content";
import { readBlob } from "./download";
import { existingManifest, type Manifest } from "./manifests";
import { IMAGE_TYPES, INDEX_TYPES } from "./mediaTypes";
import { type ImageReference, pinned } from "./reference";

/** The platform of an image, as an index describes it. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly [more: string]: unknown;
}

/** An image for one platform. */
export interface PlatformImage {
  /** From the index, otherwise from the image's configuration. */
  readonly platform: Platform;
  readonly layers: readonly Descriptor[];
  /** The image's configuration, unchanged. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** An image for one platform, as stored in a registry. */
export interface StoredImage extends PlatformImage {
  readonly manifest: Manifest;
  /** Its configuration, byte for byte. */
  readonly configBytes: Buffer;
}

/** What an image's name refers to. */
export interface Image {
  /** Of its manifest, or of its index. */
  readonly digest: string;
  /** Whether it is an index, even of one image. */
  readonly isIndex: boolean;
  readonly images: readonly StoredImage[];
}

/**
 * Reads an image for all its platforms. Other content of an index (attestations) is left out.
 *
 * @param isWanted selects the platforms of an index; others are not read
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function readImage(
  client: RegistryClient,
  reference: ImageReference,
  isWanted: (platform: Platform) => boolean = () => true,
): Promise<Image> {
  const top = await existingManifest(client, reference.digest ?? reference.tag ?? "latest");
  const isIndex = INDEX_TYPES.includes(top.mediaType);
  const images: StoredImage[] = isIndex ? [] : [await readPlatformImage(client, top)];
  for (const { digest, platform } of isIndex ? imagesOf(client, top) : []) {
    if (!isWanted(platform)) continue;
    images.push(await readPlatformImage(client, await existingManifest(client, digest), platform));
  }
  return { digest: top.digest, isIndex, images };
}

/** The images of an index, without attestations, whose platform is `unknown`. */
function imagesOf(client: RegistryClient, index: Manifest): { digest: string; platform: Platform }[] {
  const { manifests } = fieldsOf(index.bytes);
  if (!Array.isArray(manifests)) throw unusable(client, index, "has no list of manifests");
  return (manifests as unknown[]).flatMap((entry) => {
    const { digest, mediaType, platform } = fieldsOf(entry);
    const { os, architecture } = fieldsOf(platform);
    if (typeof os !== "string" || typeof architecture !== "string" || os === "unknown") return [];
    if (!isDigest(digest)) throw unusable(client, index, "names an invalid digest");
    if (typeof mediaType === "string" && !IMAGE_TYPES.includes(mediaType)) return [];
    return [{ digest, platform: platform as Platform }];
  });
}

async function readPlatformImage(
  client: RegistryClient,
  manifest: Manifest,
  platform?: Platform,
): Promise<StoredImage> {
  if (!IMAGE_TYPES.includes(manifest.mediaType)) {
    throw unusable(client, manifest, `is not an image but ${JSON.stringify(manifest.mediaType)}`);
  }
  const { config, layers } = fieldsOf(manifest.bytes);
  const descriptors = Array.isArray(layers) ? layers.map(descriptorIn) : [undefined];
  const configBlob = descriptorIn(config);
  if (configBlob === undefined || !descriptors.every((each) => each !== undefined)) {
    throw unusable(client, manifest, "names blobs without digest, size or type");
  }
  const configBytes = await readBlob(client, configBlob);
  const parsed = fieldsOf(configBytes);
  const diffIds = fieldAt(parsed, "rootfs", "diff_ids");
  if (!Array.isArray(diffIds) || diffIds.length !== descriptors.length) {
    throw unusable(client, manifest, "has a configuration that does not match its layers");
  }
  const { os, architecture, variant } = parsed;
  const ofConfig = {
    os: String(os),
    architecture: String(architecture),
    ...(typeof variant === "string" && { variant }),
  };
  return { platform: platform ?? ofConfig, layers: descriptors, config: parsed, manifest, configBytes };
}

function unusable({ repository }: RegistryClient, { digest }: Manifest, what: string): DestinationError {
  return new DestinationError(
    `${pinned(repository, digest)} ${what}`,
    "Name an image that containers can run on.",
  );
}
