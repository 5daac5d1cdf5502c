import { expect, test } from "vitest";
import {
  type Content,
  contentOf,
  describe,
} from "../../../../../provider/publishing/images/registry/content.ts";
import { type Platform, readImage } from "../../../../../provider/publishing/images/registry/image.ts";
import { ociLayerType } from "../../../../../provider/publishing/images/registry/mediaTypes.ts";
import { type ScriptedRegistry, scriptedRegistry } from "./scriptedRegistry.ts";

const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const REPOSITORY = { host: "registry.internal", path: "docs/site" };
const LAYER = { mediaType: "layer", digest: `sha256:${"1".repeat(64)}`, size: 3 };

const configOf = (more: object = {}): Content =>
  contentOf("config", {
    os: "linux",
    architecture: "amd64",
    rootfs: { diff_ids: ["sha256:1"] },
    ...more,
  });
const CONFIG = configOf();

function manifestOf(fields: object = {}, mediaType = OCI_MANIFEST): Content {
  return contentOf(mediaType, { mediaType, config: describe(CONFIG), layers: [LAYER], ...fields });
}
const IMAGE = manifestOf();
const ARM_CONFIG = configOf({ architecture: "arm64", variant: "v8" });
const ARM = manifestOf({ config: describe(ARM_CONFIG) });

const AMD_PLATFORM = { os: "linux", architecture: "amd64", "os.version": "1" };
const ARM_PLATFORM = { os: "linux", architecture: "arm64" };

function indexOf(manifests: unknown, mediaType = OCI_INDEX): Content {
  return contentOf(mediaType, { mediaType, manifests });
}

/** A registry with this image as `v1`, and with all images and configurations. */
function having(top: Content, ...more: readonly Content[]): ScriptedRegistry {
  const all = [top, ...more, IMAGE, ARM, CONFIG, ARM_CONFIG];
  return scriptedRegistry(({ line }) => {
    const name = line.split("/").at(-1);
    const found = name === "v1" || name === "latest" ? top : all.find(({ digest }) => digest === name);
    return found ? { body: found.bytes, headers: { "content-type": found.mediaType } } : { status: 404 };
  });
}

const V1 = { ...REPOSITORY, tag: "v1" };

test("an image has the platform of its configuration, its layers, and the bytes of both", async () => {
  const { client } = having(IMAGE);
  expect(await readImage(client, V1)).toEqual({
    digest: IMAGE.digest,
    isIndex: false,
    images: [
      {
        platform: { os: "linux", architecture: "amd64" },
        layers: [LAYER],
        config: JSON.parse(CONFIG.bytes.toString()) as unknown,
        manifest: IMAGE,
        configBytes: CONFIG.bytes,
      },
    ],
  });
  const arm = await readImage(having(ARM).client, V1);
  expect(arm.images[0]?.platform).toEqual({ os: "linux", architecture: "arm64", variant: "v8" });
});

test("an image is read by its digest, else its tag, else as the latest", async () => {
  const { client, lines } = having(IMAGE);
  for (const name of [{ tag: "v1", digest: IMAGE.digest }, { tag: "v1" }, {}]) {
    await readImage(client, { ...REPOSITORY, ...name });
  }
  expect(lines().filter((line) => line.includes("manifests"))).toEqual([
    `GET manifests/${IMAGE.digest}`,
    "GET manifests/v1",
    "GET manifests/latest",
  ]);
});

test.each([OCI_INDEX, "application/vnd.docker.distribution.manifest.list.v2+json"])(
  "the images of a %s have the platforms that it names; attestations and other content are left out",
  async (type) => {
    const index = indexOf(
      [
        { ...describe(IMAGE), platform: AMD_PLATFORM },
        { ...describe(ARM), mediaType: undefined, platform: ARM_PLATFORM },
        { ...describe(IMAGE), platform: { os: "unknown", architecture: "unknown" } },
        { ...describe(IMAGE), platform: { os: "linux" } },
        { ...describe(IMAGE), platform: { architecture: "amd64" } },
        { ...describe(IMAGE), mediaType: "application/wasm", platform: AMD_PLATFORM },
        { ...describe(IMAGE) },
        "text",
      ],
      type,
    );
    const { client } = having(index);
    const found = await readImage(client, V1);
    expect(found).toMatchObject({ digest: index.digest, isIndex: true });
    expect(found.images.map(({ platform }) => platform)).toEqual([AMD_PLATFORM, ARM_PLATFORM]);
    expect(found.images.map(({ manifest }) => manifest.digest)).toEqual([IMAGE.digest, ARM.digest]);
  },
);

test("platforms that nobody wants are not read", async () => {
  const index = indexOf([
    { ...describe(IMAGE), platform: AMD_PLATFORM },
    { ...describe(ARM), platform: ARM_PLATFORM },
  ]);
  const { client, lines } = having(index);
  const isWanted = ({ architecture }: Platform): boolean => architecture === "arm64";
  const { images } = await readImage(client, V1, isWanted);
  expect(images.map(({ manifest }) => manifest.digest)).toEqual([ARM.digest]);
  expect(lines()).not.toContain(`GET manifests/${IMAGE.digest}`);
});

const descriptor = (fields: object): object => ({ ...LAYER, ...fields });
const UNMATCHED = "has a configuration that does not match its layers";
const configured = (config: Content): [Content, string, Content] => [
  manifestOf({ config: describe(config) }),
  UNMATCHED,
  config,
];

test.each<[string, Content, string, ...Content[]]>([
  ["an index without a list", indexOf({}), "has no list of manifests"],
  [
    "an index with a wrong digest",
    indexOf([{ ...describe(IMAGE), digest: "sha256:../1", platform: AMD_PLATFORM }]),
    "names an invalid digest",
  ],
  ["something else", manifestOf({}, "application/wasm"), 'is not an image but "application/wasm"'],
  ["text", contentOf(OCI_MANIFEST, Buffer.from("text")), "names blobs without digest, size or type"],
  ["null", contentOf(OCI_MANIFEST, Buffer.from("null")), "names blobs without digest, size or type"],
  ["a number", contentOf(OCI_MANIFEST, Buffer.from("1")), "names blobs without digest, size or type"],
  ["an image without layers", manifestOf({ layers: undefined }), "names blobs without digest, size or type"],
  [
    "one without a configuration",
    manifestOf({ config: undefined }),
    "names blobs without digest, size or type",
  ],
  [
    "a digest that is a path",
    manifestOf({ layers: [descriptor({ digest: "../1" })] }),
    "names blobs without",
  ],
  ["a size below zero", manifestOf({ layers: [descriptor({ size: -1 })] }), "names blobs without"],
  [
    "a size that is no whole number",
    manifestOf({ layers: [descriptor({ size: 1.5 })] }),
    "names blobs without",
  ],
  ["a size that is a text", manifestOf({ layers: [descriptor({ size: "3" })] }), "names blobs without"],
  ["no type", manifestOf({ layers: [descriptor({ mediaType: 1 })] }), "names blobs without"],
  ["more layers than the configuration has", manifestOf({ layers: [LAYER, LAYER] }), UNMATCHED],
  ["a configuration that is text", ...configured(contentOf("config", Buffer.from("text")))],
  ["a configuration without layers", ...configured(configOf({ rootfs: {} }))],
  ["a configuration with one layer as text", ...configured(configOf({ rootfs: { diff_ids: "1" } }))],
])("%s is no image that containers can run on", async (_what, top, problem, ...more) => {
  await expect(readImage(having(top, ...more).client, V1)).rejects.toMatchObject({
    message: expect.stringContaining(`registry.internal/docs/site@${top.digest} ${problem}`) as string,
    remedy: "Name an image that containers can run on.",
  });
});

test("a layer without bytes is a layer", async () => {
  const { images } = await readImage(having(manifestOf({ layers: [descriptor({ size: 0 })] })).client, V1);
  expect(images[0]?.layers).toEqual([{ ...LAYER, size: 0 }]);
});

test("layers of Docker have the types of OCI for the same bytes; others keep theirs", () => {
  const docker = "application/vnd.docker.image.rootfs.diff.tar";
  expect([`${docker}.gzip`, docker, "application/x"].map(ociLayerType)).toEqual([
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar",
    "application/x",
  ]);
});
