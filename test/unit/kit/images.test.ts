// Images of kits, from a registry in memory; test/copies/ uses real ones.
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Response, type RequestInit } from "node-fetch";
import { create } from "tar";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { readEarlierKit } from "../../../provider/kit/earlierKit.ts";
import type { KitManifest } from "../../../provider/kit/manifest.ts";
import { writeKit, type KitRequest } from "../../../provider/kit/writeKit.ts";
import { startDeadline } from "../../../provider/time/deadline.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { Secrets } from "../../../provider/messages/secrets.ts";

const INDEX = "application/vnd.oci.image.index.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
const BASE = "registry.internal/library/nginx:1";

let folder: string;
let kits: string;
/** All contents of the registry, by digest. */
let blobs: Map<string, Buffer>;
let top: string;
let asked: string[];

const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const stored = (content: object | string): { digest: string; size: number } => {
  const bytes = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const digest = digestOf(bytes);
  blobs.set(digest, bytes);
  return { digest, size: bytes.length };
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kit-images-"));
  kits = join(folder, "kits");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  blobs = new Map();
  asked = [];
  // both platforms share a layer
  const shared = { mediaType: LAYER, ...stored("shared layer") };
  const manifests = ["amd64", "arm64"].map((architecture) => {
    const own = { mediaType: LAYER, ...stored(`layer of ${architecture}`) };
    const config = stored({ os: "linux", architecture, rootfs: { type: "layers", diff_ids: ["a", "b"] } });
    const manifest = stored({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, ...config },
      layers: [shared, own],
    });
    return { mediaType: MANIFEST, ...manifest, platform: { os: "linux", architecture } };
  });
  top = stored({ schemaVersion: 2, mediaType: INDEX, manifests }).digest;
});

/** By the distribution specification; only the tag `1` exists. */
function answer(path: string, range = ""): Response {
  const [, kind = "", name = ""] = /^\/v2\/library\/nginx\/(manifests|blobs)\/(.*)$/.exec(path) ?? [];
  const bytes = blobs.get(name === "1" ? top : name);
  if (bytes === undefined) return new Response("{}", { status: 404 });
  const type = (JSON.parse(kind === "manifests" ? bytes.toString() : "{}") as { mediaType?: string })
    .mediaType;
  const [, from] = /^bytes=(\d+)-$/.exec(range) ?? [];
  const headers = { "content-type": type ?? "application/octet-stream" };
  if (from === undefined) return new Response(bytes, { headers });
  const part = { ...headers, "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  return new Response(bytes.subarray(Number(from)), { status: 206, headers: part });
}

async function kitOf(given: Partial<KitRequest> & { version?: string } = {}) {
  const { version = "v1", ...request } = given;
  const site = join(folder, "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), version);
  const path = join(folder, `${version}.tar.gz`);
  create({ file: path, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, ["index.html"]);
  const bytes = readFileSync(path);
  const sha256 = digestOf(bytes).slice("sha256:".length);
  const clock = new FasterClock(1_000);
  const fetch = (url: string, { headers }: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    asked.push(pathname.slice("/v2/library/nginx/".length));
    return Promise.resolve(answer(pathname, (headers as Record<string, string>)["range"]));
  };
  const { name } = await writeKit(
    {
      bundle: { path, format: "tar.gz", sha256, size: bytes.length, version, root: "", leftOut: [] },
      limits: { unpackedBytes: 1e6, files: 10 },
      images: [BASE],
      platforms: ["linux/amd64"],
      values: {},
      earlier: [],
      ...request,
    },
    { folder: kits, owner: "urn" },
    {
      fetch,
      clock,
      reporter: recordingReporter(),
      secrets: new Secrets(),
      signal: new AbortController().signal,
      deadline: startDeadline(clock, 3_600_000),
      environment: () => undefined,
    },
  );
  const json = (file: string): unknown => JSON.parse(readFileSync(join(kits, name, file), "utf8"));
  return {
    path: join(kits, name),
    manifest: json("manifest.json") as KitManifest,
    index: json("images/index.json") as { manifests: { digest: string; annotations: object }[] },
    files: readdirSync(join(kits, name, "images/blobs/sha256")).sort(),
  };
}
const layer = (text: string): string => digestOf(Buffer.from(text));
const hex = (digest: string): string => digest.slice("sha256:".length);
/** Requested layers. */
const fetched = (): string[] =>
  ["shared layer", "layer of amd64", "layer of arm64"].filter((text) =>
    asked.includes(`blobs/${layer(text)}`),
  );

test("the provenance is about the site's image and names its base, the SBOM lists both images", async () => {
  const { path, manifest } = await kitOf({ serviceUrl: "https://api.example.com" });
  const json = (file: string): unknown => JSON.parse(readFileSync(join(path, file), "utf8"));
  const site = hex(manifest.images[1]?.digest ?? "");
  expect(json("provenance.json")).toMatchObject({
    subject: [{ name: "site:v1", digest: { sha256: site } }],
    predicate: {
      buildDefinition: {
        externalParameters: { baseUrl: "https://api.example.com", base: BASE },
        resolvedDependencies: [{ name: "bundle.tar.gz" }, { name: BASE, digest: { sha256: hex(top) } }],
      },
    },
  });
  const { components } = json("sbom.cdx.json") as {
    components: { "bom-ref": string; hashes: { content: string }[] }[];
  };
  const hashes = Object.fromEntries(components.map((each) => [each["bom-ref"], each.hashes[0]?.content]));
  expect(hashes).toMatchObject({ "image:nginx:1": hex(top), "site-image": site });
});

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

test("for several platforms a shared layer is requested once, and images are indexes", async () => {
  const { manifest, files } = await kitOf({ platforms: ["linux/amd64", "linux/arm64"] });
  expect(fetched()).toHaveLength(3);
  expect(new Set(asked).size).toBe(asked.length);
  expect(manifest.images.map(({ mediaType, platforms }) => [mediaType, platforms])).toEqual(
    Array(2).fill([INDEX, ["linux/amd64", "linux/arm64"]]),
  );
  expect(files).toHaveLength(3 + 1 + 4 + 4 + 2); // layers, the site's, configurations, manifests, indexes
});

test("a missing platform or image is an error, and leaves nothing behind", async () => {
  await expect(kitOf({ platforms: ["linux/s390x"] })).rejects.toThrow(`${BASE} has no image for linux/s390x`);
  await expect(kitOf({ images: ["registry.internal/library/nginx:2"] })).rejects.toThrow(
    "there is no image registry.internal/library/nginx:2",
  );
  expect(readdirSync(kits)).toEqual([]);
});

test("layers of a local earlier kit are copied, not fetched; a damaged one is fetched", async () => {
  const first = await kitOf();
  asked = [];
  await kitOf({ version: "v2", earlier: [first.path] });
  expect(fetched()).toEqual([]);
  writeFileSync(join(first.path, "images/blobs/sha256", hex(layer("shared layer"))), "other bytes!");
  asked = [];
  const third = await kitOf({ version: "v3", earlier: [first.path] });
  expect(fetched()).toEqual(["shared layer"]);
  expect(readFileSync(join(third.path, "images/blobs/sha256", hex(layer("shared layer"))), "utf8")).toBe(
    "shared layer",
  );
});

test("layers in the kit of the given manifest are neither fetched nor in this one; manifests and configurations are", async () => {
  const first = await kitOf();
  const since = readEarlierKit(join(first.path, "manifest.json"));
  asked = [];
  const { manifest, files } = await kitOf({ version: "v2", since });
  expect(fetched()).toEqual([]);
  const out = manifest.blobs.filter((blob) => blob.in === "v1").map(({ digest }) => digest);
  expect(out.sort()).toEqual([layer("shared layer"), layer("layer of amd64")].sort());
  expect(files).toEqual(manifest.blobs.filter((blob) => blob.in === "this").map(({ digest }) => hex(digest)));
  expect(files).toHaveLength(5);
});

test("layers of a failed run are not fetched again; a partial one is resumed", async () => {
  const whole = blobs.get(layer("layer of amd64"));
  blobs.delete(layer("layer of amd64"));
  await expect(kitOf()).rejects.toThrow();
  const [draft = ""] = readdirSync(kits);
  const left = readdirSync(join(kits, draft, "blobs"));
  expect(left).toContain(hex(layer("shared layer")));
  if (whole) blobs.set(layer("layer of amd64"), whole);
  // as if it had been cut off within its bytes; other bytes are not resumed
  for (const [beginning, requests] of [
    ["layer of ", 1],
    ["not of it", 2],
    ["layer of AMD64", 1],
    ["layer of amd64", 0],
  ] as const) {
    writeFileSync(join(kits, draft, "blobs", `${hex(layer("layer of amd64"))}.arriving`), beginning);
    cpSync(join(kits, draft), join(folder, "draft"), { recursive: true });
    asked = [];
    const { path, files } = await kitOf();
    expect(asked.filter((each) => each.endsWith(layer("layer of amd64")))).toHaveLength(requests);
    expect(asked).not.toContain(`blobs/${layer("shared layer")}`);
    expect(files).toHaveLength(7);
    const written = readFileSync(join(path, "images/blobs/sha256", hex(layer("layer of amd64"))), "utf8");
    expect(written).toBe("layer of amd64");
    expect(readdirSync(kits)).toHaveLength(1);
    renameSync(join(folder, "draft"), join(kits, draft));
  }
});

test("a layer that does not match its digest is an error, and in no kit", async () => {
  blobs.set(layer("layer of amd64"), Buffer.from("layer of AMD64"));
  await expect(kitOf()).rejects.toThrow("the registry gave something else for");
  expect(readdirSync(kits).filter((name) => !name.startsWith("."))).toEqual([]);
});
