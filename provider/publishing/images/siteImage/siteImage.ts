import type { Bundle } from "../../inspection/bundle";
import { type Content, contentOf, describe, manifestOf } from "../registry/content";
import type { PlatformImage } from "../registry/image";
import type { Manifest } from "../registry/manifests";
import { OCI_CONFIG, OCI_INDEX, OCI_LAYER_GZIP, OCI_MANIFEST, ociLayerType } from "../registry/mediaTypes";
import type { Layer } from "./layerTar";
import type { PreviousLayer } from "./previousFiles";

/** Label and annotation with the digest of the archive that the site comes from. */
export const BUNDLE_LABEL = "docs-hosting.bundle.sha256";

/** Label and annotation of an image with files of the version before: what identifies the content of that version. */
export const PREVIOUS_LABEL = "docs-hosting.previous.sha256";

/** The lines that an image's history gets for our layers. */
const HISTORY = { created: "1970-01-01T00:00:00Z", created_by: "pulumi-docs-hosting" };
const SITE_HISTORY = { ...HISTORY, comment: "the exported site" };
const PREVIOUS_HISTORY = {
  ...HISTORY,
  comment: "files of the version before, for pages that readers have open",
};

/** Facts about a site that its image contains. */
type ImageFacts = Pick<Bundle, "sha256" | "version" | "jobId" | "domain">;

/** The image that another image is built on. */
export interface Base {
  /** The name as written in `base`, without its digest. */
  readonly name: string;
  readonly digest: string;
}

/** An image for one platform that is ready to be stored: first its configuration, then its manifest. */
export interface BuiltImage {
  readonly platform: PlatformImage["platform"];
  readonly config: Content;
  readonly manifest: Content;
}

/**
 * The annotations of an image, see
 * https://github.com/opencontainers/image-spec/blob/main/annotations.md. They contain no time: the same bundle and the same
 * version before give the same image.
 */
export function annotationsOf(
  site: ImageFacts,
  base: Base | undefined,
  previous?: PreviousLayer,
): Record<string, string> {
  return {
    ...(site.domain !== undefined && { "org.opencontainers.image.title": site.domain }),
    "org.opencontainers.image.version": site.version,
    ...(site.jobId !== undefined && { "org.opencontainers.image.revision": site.jobId }),
    ...(base && {
      "org.opencontainers.image.base.name": base.name,
      "org.opencontainers.image.base.digest": base.digest,
    }),
    [BUNDLE_LABEL]: site.sha256,
    ...(previous && { [PREVIOUS_LABEL]: previous.of }),
  };
}

/**
 * What an image of the site alone is built on: nothing, for every platform. An index would exclude the platforms that it does not
 * list; clients accept a plain manifest on any platform, and the image contains nothing to run.
 */
export const EMPTY_BASE: PlatformImage = {
  platform: { os: "linux", architecture: "amd64" },
  layers: [],
  config: {
    architecture: "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [] },
    history: [],
  },
};

/**
 * Adds the site to the base image for one platform. The command and the user stay.
 *
 * @param layer of the site: the last one of the image
 * @param previous the layer with files of the version before
 */
export function imageOnBase(
  base: PlatformImage,
  layer: Layer,
  annotations: Readonly<Record<string, string>>,
  previous?: PreviousLayer,
): BuiltImage {
  const { config, rootfs, history } = base.config as {
    config?: Record<string, unknown>;
    rootfs: { diff_ids: string[] };
    history?: unknown[];
  };
  const added = previous ? [previous, layer] : [layer];
  const image = contentOf(OCI_CONFIG, {
    ...base.config,
    config: { ...config, Labels: { ...(config?.["Labels"] as object | undefined), ...annotations } },
    rootfs: { ...rootfs, diff_ids: [...rootfs.diff_ids, ...added.map(({ diffId }) => diffId)] },
    // a missing history stays missing: each entry describes one layer
    ...(Array.isArray(history) && {
      history: [...history, ...(previous ? [PREVIOUS_HISTORY] : []), SITE_HISTORY],
    }),
  });
  const layers = [
    ...base.layers.map((each) => ({ ...each, mediaType: ociLayerType(each.mediaType) })),
    ...added.map(({ digest, size }) => ({ mediaType: OCI_LAYER_GZIP, digest, size })),
  ];
  const manifest = manifestOf(OCI_MANIFEST, { config: describe(image), layers, annotations });
  return { platform: base.platform, config: image, manifest };
}

/** The index of the images for all platforms. */
export function indexOf(
  images: readonly Pick<BuiltImage, "platform" | "manifest">[],
  annotations?: Readonly<Record<string, string>>,
): Manifest {
  return manifestOf(OCI_INDEX, {
    manifests: images.map(({ platform, manifest }) => ({ ...describe(manifest), platform })),
    annotations,
  });
}
