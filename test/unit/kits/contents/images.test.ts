// Images of kits, from a registry in memory; test/copies/ uses real ones.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { siteName } from "../../../../provider/kits/contents/kitImage.ts";
import { OciLayout } from "../../../../provider/publishing/index.ts";
import {
  asked,
  BASE,
  blobFile,
  blobs,
  fetched,
  hex,
  INDEX,
  kitOf,
  kits,
  layer,
  MANIFEST,
  tags,
  top,
  withRegistry,
} from "./kitImages.ts";

withRegistry();

test("for one platform nothing of the others is requested; each blob of the images is in the kit once", async () => {
  const { manifest, files, index } = await kitOf();
  expect(fetched()).toEqual(["shared layer", "layer of amd64"]);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toHaveLength(5); // index, manifest, configuration, two layers
  expect(manifest.images).toMatchObject([
    {
      name: "nginx:1",
      reference: `${BASE}@${top}`,
      mediaType: MANIFEST,
      platforms: ["linux/amd64"],
      site: false,
    },
    { name: "site:v1", mediaType: MANIFEST, platforms: ["linux/amd64"], site: true },
  ]);
  expect(files).toEqual(manifest.blobs.map(({ digest }) => hex(digest)));
  expect(files).toHaveLength(7); // two layers and the site's, two configurations, two manifests
  expect(manifest.blobs.every((blob) => blob.in === "this")).toBe(true);
  expect(index.manifests.map(({ digest, annotations }) => ({ digest, annotations }))).toEqual(
    manifest.images.map(({ digest, name }) => ({
      digest,
      annotations: { "org.opencontainers.image.ref.name": name },
    })),
  );
});

test("a missing platform or image is an error, and leaves nothing behind", async () => {
  await expect(kitOf({ platforms: ["linux/s390x"] })).rejects.toThrow(`${BASE} has no image for linux/s390x`);
  await expect(kitOf({ images: ["registry.internal/library/nginx:2"] })).rejects.toThrow(
    "there is no image registry.internal/library/nginx:2",
  );
  expect(readdirSync(kits)).toEqual([]);
});

test("the images are a layout that other programs read: the index has type, digest and size of what each name means", async () => {
  const { path, manifest, index } = await kitOf({ platforms: ["linux/amd64", "linux/arm64"] });
  expect(readFileSync(join(path, "images/oci-layout"), "utf8")).toBe('{"imageLayoutVersion":"1.0.0"}\n');
  expect(index).toEqual({
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: manifest.images.map(({ name, digest, mediaType }) => ({
      mediaType,
      digest,
      size: readFileSync(blobFile(path, digest)).length,
      annotations: { "org.opencontainers.image.ref.name": name },
    })),
  });
});

test.each([[["linux/amd64"]], [["linux/amd64", "linux/arm64"]]])(
  "the site's image for %j tells which bundle it is of, and which image it is built on",
  async (platforms) => {
    const { path, manifest } = await kitOf({ platforms, domain: "docs.example.com" });
    const site = manifest.images.at(-1)?.digest ?? "";
    expect(JSON.parse(readFileSync(blobFile(path, site), "utf8"))).toMatchObject({
      annotations: {
        "org.opencontainers.image.title": "docs.example.com",
        "org.opencontainers.image.version": "v1",
        "org.opencontainers.image.base.name": BASE,
        "org.opencontainers.image.base.digest": top,
        "docs-hosting.bundle.sha256": manifest.bundle.sha256,
      },
    });
  },
);

test("the files of the site can be read from the image of a kit, for one platform and for several", async () => {
  for (const platforms of [["linux/amd64"], ["linux/amd64", "linux/arm64"]]) {
    const { path } = await kitOf({ platforms });
    const read = new Map<string, string>();
    const take = (name: string, bytes: Buffer): Promise<void> =>
      Promise.resolve(void read.set(name, bytes.toString()));
    const wanted = { isWanted: (name: string) => name === "index.html", take };
    await new OciLayout(join(path, "images")).readSite(siteName("v1"), wanted, new AbortController().signal);
    expect([...read.keys()]).toEqual(["index.html"]);
  }
});

test("the lines of progress say what is pulled and how much of it, then what is built", async () => {
  const lines: string[] = [];
  await kitOf({ progress: (line) => lines.push(line) });
  expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^writing \d+ B$/), `pulling ${BASE}`]);
  // how many there are depends on the time
  const transfers = lines.slice(2, -2);
  expect(transfers.length).toBeGreaterThan(0);
  for (const line of transfers) expect(line).toMatch(RegExp(` of 26 B .*pulling ${BASE}$`));
  expect(lines.slice(-2)).toEqual(["building the site's image", "computing the checksums of the kit"]);
});

test("an image in no index is taken for its own platform only; a layer that two images share is requested once", async () => {
  const { manifests } = JSON.parse(blobs.get(top)?.toString() ?? "") as { manifests: { digest: string }[] };
  tags.set("arm", manifests[1]?.digest ?? "");
  const arm = "registry.internal/library/nginx:arm";
  await expect(kitOf({ images: [arm] })).rejects.toMatchObject({
    message: `${arm} has no image for linux/amd64`,
    remedy: "Remove that platform from `platforms`, or name another image.",
  });
  asked.length = 0;
  const { manifest } = await kitOf({ platforms: ["linux/arm64"], images: [arm, BASE] });
  expect(manifest.images.map(({ name }) => name)).toEqual(["nginx:arm", "nginx:1", "site:v1"]);
  expect(asked.filter((each) => each === `blobs/${layer("shared layer")}`)).toHaveLength(1);
});

test("an image that is named by its digest has a name in the kit, and the same reference without a tag", async () => {
  const { manifest } = await kitOf({ images: [`registry.internal/library/nginx@${top}`] });
  expect(manifest.images[0]).toMatchObject({
    name: `nginx:sha256-${hex(top).slice(0, 12)}`,
    reference: `registry.internal/library/nginx@${top}`,
  });
});
