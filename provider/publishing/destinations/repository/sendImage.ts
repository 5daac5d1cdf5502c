import { join } from "node:path";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { rangesOfFile } from "../../images/registry/blobs";
import { RegistryClient } from "../../images/registry/client";
import type { Blob } from "../../images/registry/content";
import { downloadBlob } from "../../images/registry/download";
import { ensureBlob, ensureContent } from "../../images/registry/ensureBlob";
import { type Image, readImage } from "../../images/registry/image";
import { parseBase, repositoryName } from "../../images/registry/reference";
import { transferProgress } from "../../images/registry/transferProgress";
import type { Layer } from "../../images/siteImage/layerTar";
import type { PreviousLayer } from "../../images/siteImage/previousFiles";
import type { BuiltImage } from "../../images/siteImage/siteImage";
import type { DestinationContext } from "../destination";
import type { RepositoryInputs } from "./inputs";
import type { RepositoryPlace } from "./repositoryPlace";

/** The image that a site is added to, as it was when the copy began. */
interface BaseImage extends Image {
  /** As written in `base`, without its digest. */
  readonly name: string;
  /** Of its repository. */
  readonly client: RegistryClient;
}

/**
 * Reads the base image for all its Linux platforms; `undefined` without a base.
 *
 * @throws DestinationError when it has no image for Linux; the signal's reason
 */
export async function readBase(
  { base, plainHttp }: RepositoryInputs,
  host: string,
  context: DestinationContext,
): Promise<BaseImage | undefined> {
  if (base === undefined) return undefined;
  const reference = parseBase(base);
  const isPlain = reference.host === host && plainHttp; // other registries use TLS
  const client = new RegistryClient(reference, context, { actions: "pull", plainHttp: isPlain });
  const name = `${repositoryName(reference)}${reference.tag === undefined ? "" : `:${reference.tag}`}`;
  const image = await readImage(client, reference);
  const images = image.images.filter(({ config }) => config["os"] === "linux");
  if (images.length === 0) {
    throw new DestinationError(`the base ${name} has no image for Linux`, "Name another one as `base`.");
  }
  if (images.length < image.images.length) {
    context.reporter.warn(
      `the base ${name} has images for other systems than Linux: the copy has none for them`,
    );
  }
  return { ...image, name, client, images };
}

/**
 * Ensures that the repository has all blobs: those of the base, the site and the configurations.
 *
 * @param added the layers above the base. One without a file is in the repository already
 */
export async function sendBlobs(
  { client, context }: RepositoryPlace,
  base: BaseImage | undefined,
  added: readonly (Layer | PreviousLayer)[],
  images: readonly BuiltImage[],
): Promise<void> {
  const layers = base?.images.flatMap((image) => image.layers) ?? [];
  const ofBase = new Map(layers.map((each) => [each.digest, each]));
  const progress = transferProgress(context, "uploading", [...ofBase.values(), ...added]);
  const ensure = async (blob: Blob, options: Parameters<typeof ensureBlob>[2]): Promise<void> => {
    const moved = (bytes: number): void => progress.moved(blob, bytes);
    if (!(await ensureBlob(client, blob, { ...options, moved }))) progress.found(blob);
  };
  const { host, path } = base?.client.repository ?? {};
  for (const blob of ofBase.values()) {
    const file = join(await context.scratch(), blob.digest.replace(":", "-"));
    await ensure(blob, {
      mountFrom: host === client.repository.host ? path : undefined,
      source: async () => {
        if (base) await downloadBlob(base.client, blob, file);
        return rangesOfFile(file);
      },
    });
  }
  for (const layer of added) {
    if ("path" in layer) await ensure(layer, { source: () => rangesOfFile(layer.path) });
    else progress.found(layer);
  }
  for (const { config } of images) await ensureContent(client, config);
}
