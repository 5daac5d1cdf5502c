import { expect, test } from "vitest";
import { digestOf } from "../../../../../provider/base/runtime/values/digest.ts";
import type { PlatformImage } from "../../../../../provider/publishing/images/registry/image.ts";
import { siteRoot } from "../../../../../provider/publishing/images/siteImage/layer.ts";
import type { Layer } from "../../../../../provider/publishing/images/siteImage/layerTar.ts";
import {
  annotationsOf,
  EMPTY_BASE,
  imageOnBase,
  indexOf,
} from "../../../../../provider/publishing/images/siteImage/siteImage.ts";

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const LAYER: Layer = { path: "/x", digest: digest("1"), size: 7, diffId: digest("2") };
const BUNDLE = { path: "/b", format: "tar.gz", sha256: "a".repeat(64), size: 1, version: "v1" } as const;
const BASE: PlatformImage = {
  platform: { os: "linux", architecture: "arm64", variant: "v8" },
  layers: [{ mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", digest: digest("4"), size: 9 }],
  config: {
    architecture: "arm64",
    os: "linux",
    created: "2026-01-01T00:00:00Z",
    config: {
      User: "101",
      Entrypoint: ["/e"],
      Labels: { theirs: "1", "org.opencontainers.image.version": "1.30" },
    },
    rootfs: { type: "layers", diff_ids: [digest("5")] },
    history: [{ created_by: "them" }],
    "moby.buildkit": "kept",
  },
};

test("a site is where volumes of images and nginx images expect it", () => {
  expect([siteRoot(false), siteRoot(true)]).toEqual(["site", "usr/share/nginx/html"]);
});

test("the labels have the known facts about the bundle, and no time", () => {
  expect(annotationsOf(BUNDLE, undefined)).toStrictEqual({
    "org.opencontainers.image.version": "v1",
    "docs-hosting.bundle.sha256": BUNDLE.sha256,
  });
  const all = { ...BUNDLE, jobId: "j", domain: "docs.example.com" };
  expect(annotationsOf(all, { name: "r/nginx:1", digest: digest("3") })).toEqual({
    "org.opencontainers.image.title": "docs.example.com",
    "org.opencontainers.image.version": "v1",
    "org.opencontainers.image.revision": "j",
    "org.opencontainers.image.base.name": "r/nginx:1",
    "org.opencontainers.image.base.digest": digest("3"),
    "docs-hosting.bundle.sha256": BUNDLE.sha256,
  });
});

test("the site alone is an image of one layer, whose digests are those of its parts", () => {
  const { config, manifest } = imageOnBase(EMPTY_BASE, LAYER, { a: "1" });
  expect(config.digest).toBe(digestOf(config.bytes));
  expect(manifest.digest).toBe(digestOf(manifest.bytes));
  expect(JSON.parse(manifest.bytes.toString())).toEqual({
    schemaVersion: 2,
    mediaType: manifest.mediaType,
    config: {
      mediaType: "application/vnd.oci.image.config.v1+json",
      digest: config.digest,
      size: config.bytes.length,
    },
    layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", digest: LAYER.digest, size: 7 }],
    annotations: { a: "1" },
  });
  expect(JSON.parse(config.bytes.toString())).toEqual({
    architecture: "amd64",
    os: "linux",
    config: { Labels: { a: "1" } },
    rootfs: { type: "layers", diff_ids: [LAYER.diffId] },
    history: [
      { created: "1970-01-01T00:00:00Z", created_by: "pulumi-docs-hosting", comment: "the exported site" },
    ],
  });
});

test("on a base, all its settings stay, with one more layer, one more line of history and our labels", () => {
  const { config, manifest } = imageOnBase(BASE, LAYER, { "org.opencontainers.image.version": "v1" });
  expect(JSON.parse(config.bytes.toString())).toEqual({
    ...BASE.config,
    config: {
      User: "101",
      Entrypoint: ["/e"],
      Labels: { theirs: "1", "org.opencontainers.image.version": "v1" },
    },
    rootfs: { type: "layers", diff_ids: [digest("5"), LAYER.diffId] },
    history: [{ created_by: "them" }, expect.objectContaining({ created: "1970-01-01T00:00:00Z" })],
  });
  const { layers } = JSON.parse(manifest.bytes.toString()) as { layers: { mediaType: string }[] };
  expect(layers.map(({ mediaType }) => mediaType)).toEqual([
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+gzip",
  ]);
});

test("files of the version before are a layer below that of the site, with a line of history of their own", () => {
  const previous = { digest: digest("7"), size: 3, diffId: digest("8"), of: "9" };
  const { config, manifest } = imageOnBase(BASE, LAYER, {}, previous);
  const { rootfs, history } = JSON.parse(config.bytes.toString()) as {
    rootfs: { diff_ids: string[] };
    history: { comment: string }[];
  };
  expect(rootfs.diff_ids).toEqual([digest("5"), previous.diffId, LAYER.diffId]);
  expect(history.map(({ comment }) => comment)).toEqual([
    undefined,
    "files of the version before, for pages that readers have open",
    "the exported site",
  ]);
  const { layers } = JSON.parse(manifest.bytes.toString()) as { layers: { digest: string }[] };
  expect(layers.slice(-2).map((each) => each.digest)).toEqual([previous.digest, LAYER.digest]);
});

test("a base without history and settings gets no history either", () => {
  const bare = { ...BASE, config: { os: "linux", rootfs: { type: "layers", diff_ids: [digest("5")] } } };
  const built = JSON.parse(imageOnBase(bare, LAYER, { a: "1" }).config.bytes.toString()) as object;
  expect(built).not.toHaveProperty("history");
  expect(built).toHaveProperty("config", { Labels: { a: "1" } });
});

test("an index has an image for each platform, as the base's index names it", () => {
  const image = imageOnBase(BASE, LAYER, {});
  const { manifest } = image;
  const index = indexOf([image], { a: "1" });
  expect(JSON.parse(index.bytes.toString())).toEqual({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        mediaType: manifest.mediaType,
        digest: manifest.digest,
        size: manifest.bytes.length,
        platform: BASE.platform,
      },
    ],
    annotations: { a: "1" },
  });
});
