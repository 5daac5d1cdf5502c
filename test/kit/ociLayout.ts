import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarEnd, tarHeader, tarPadding } from "../../provider/publishing/archives/writeTar.ts";

const INDEX = "application/vnd.oci.image.index.v1+json";
/** Media types of an image's parts, as OCI has them and as Docker. */
const OCI = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};
const DOCKER: typeof OCI = {
  manifest: "application/vnd.docker.distribution.manifest.v2+json",
  config: "application/vnd.docker.container.image.v1+json",
  layer: "application/vnd.docker.image.rootfs.diff.tar.gzip",
};

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { os: string; architecture: string };
  annotations?: Readonly<Record<string, string>>;
}

export interface LayoutImage {
  /** `NAME:TAG`. */
  readonly name: string;
  /** The contents of the layers of each platform, bottom first, the files by their paths. */
  readonly layers: readonly Readonly<Record<string, string>>[];
  /** Default: two. With one there is no index above its manifest. */
  readonly architectures?: readonly string[];
  /** Docker's media types instead of OCI's. */
  readonly isDocker?: boolean;
}

export interface LayoutBlob {
  readonly digest: string;
  readonly size: number;
  readonly content: Buffer;
  /** Layers may be left out of a kit. */
  readonly isLayer: boolean;
}

export interface Layout {
  readonly blobs: readonly LayoutBlob[];
  /** Digest of each image, by its name. */
  readonly digests: Readonly<Record<string, string>>;
  /** Text of `index.json`. */
  readonly index: string;
}

export const digestOf = (content: string | Buffer): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** The same images give the same bytes. */
export function layoutOf(images: readonly LayoutImage[]): Layout {
  const blobs = new Map<string, LayoutBlob>();
  const add = (mediaType: string, content: Buffer, isLayer = false): Descriptor => {
    const digest = digestOf(content);
    blobs.set(digest, { digest, size: content.length, content, isLayer });
    return { mediaType, digest, size: content.length };
  };
  const addJson = (mediaType: string, value: object): Descriptor =>
    add(mediaType, Buffer.from(JSON.stringify(value)));
  const digests: Record<string, string> = {};
  const manifests = images.map((image): Descriptor => {
    const { name, layers, architectures = ["amd64", "arm64"], isDocker = false } = image;
    const types = isDocker ? DOCKER : OCI;
    const platforms = architectures.map((architecture): Descriptor => {
      const tars = layers.map((files) => tarOf({ ...files, "etc/architecture": architecture }));
      const manifest = addJson(types.manifest, {
        schemaVersion: 2,
        mediaType: types.manifest,
        config: addJson(types.config, {
          architecture,
          os: "linux",
          config: {},
          rootfs: { type: "layers", diff_ids: tars.map(digestOf) },
        }),
        layers: tars.map((tar) => add(types.layer, gzipSync(tar), true)),
      });
      return { ...manifest, platform: { os: "linux", architecture } };
    });
    const [only] = platforms;
    const top =
      only !== undefined && platforms.length === 1
        ? { mediaType: only.mediaType, digest: only.digest, size: only.size }
        : addJson(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests: platforms });
    digests[name] = top.digest;
    return { ...top, annotations: { "org.opencontainers.image.ref.name": name } };
  });
  return {
    blobs: [...blobs.values()],
    digests,
    index: JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }),
  };
}

/** Writes a layout without the blobs that are left out. */
export function writeLayout(layout: Layout, folder: string, without: ReadonlySet<string>): void {
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  writeFileSync(join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder, "index.json"), layout.index);
  for (const { digest, content } of layout.blobs) {
    if (!without.has(digest)) writeFileSync(join(folder, "blobs", digest.replace(":", "/")), content);
  }
}

function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    return [tarHeader({ path, size: content.length }), content, tarPadding(content.length)];
  });
  return Buffer.concat([...parts, tarEnd()]);
}
