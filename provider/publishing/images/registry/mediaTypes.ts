/** OCI's media type of an index: a list of an image's manifests, one per platform. */
export const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
/** OCI's media type of an image's manifest. */
export const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
/** OCI's media type of an image's configuration. */
export const OCI_CONFIG = "application/vnd.oci.image.config.v1+json";
/** OCI's media type of a compressed layer. */
export const OCI_LAYER_GZIP = "application/vnd.oci.image.layer.v1.tar+gzip";

/** Docker's older media types for the same content. */
const DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json";
const DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";

/** The media types of indexes. */
export const INDEX_TYPES: readonly string[] = [OCI_INDEX, DOCKER_INDEX];
/** The media types of an image's manifest. */
export const IMAGE_TYPES: readonly string[] = [OCI_MANIFEST, DOCKER_MANIFEST];
/** All supported types, in order of preference. */
export const MANIFEST_TYPES: readonly string[] = [...INDEX_TYPES, ...IMAGE_TYPES];

/** Docker's media types of layers, with the OCI types of the same bytes. */
const OCI_LAYERS: Readonly<Record<string, string>> = {
  "application/vnd.docker.image.rootfs.diff.tar.gzip": OCI_LAYER_GZIP,
  "application/vnd.docker.image.rootfs.diff.tar": "application/vnd.oci.image.layer.v1.tar",
};

/** The media type of a layer in an OCI manifest. */
export function ociLayerType(type: string): string {
  return OCI_LAYERS[type] ?? type;
}
