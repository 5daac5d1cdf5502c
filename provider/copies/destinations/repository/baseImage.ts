import { readImage, type PlatformImage } from "../../../images/registry/image";
import { repositoryName, type Reference } from "../../../images/registry/reference";
import type { RegistryClient } from "../../../images/registry/client";
import { DestinationError } from "../../../runtime/messages/errors";
import type { Reporter } from "../../../runtime/messages/reporter";
import type { Base } from "../../../images/siteImage/siteImage";

/** The image that a site is added to, as it was when the copy began. */
export interface BaseImage extends Base {
  readonly client: RegistryClient;
  readonly isIndex: boolean;
  /** At least one. */
  readonly images: readonly PlatformImage[];
}

/**
 * Reads the base image for all its Linux platforms.
 *
 * @throws DestinationError when it has no image for Linux; the signal's reason
 */
export async function readBase(
  reference: Reference,
  client: RegistryClient,
  reporter: Reporter,
): Promise<BaseImage> {
  const name = `${repositoryName(reference)}${reference.tag === undefined ? "" : `:${reference.tag}`}`;
  const image = await readImage(client, reference);
  const images = image.images.filter(({ config }) => config["os"] === "linux");
  if (images.length === 0) {
    throw new DestinationError(`the base ${name} has no image for Linux`, "Name another one as `base`.");
  }
  if (images.length < image.images.length) {
    reporter.warn(`the base ${name} has images for other systems than Linux: the copy has none for them`);
  }
  return { name, digest: image.digest, client, isIndex: image.isIndex, images };
}
