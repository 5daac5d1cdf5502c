// Images of kits, from a registry in memory; test/copies/ uses real ones.
import { createHash, generateKeyPairSync } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RequestInit, Response } from "node-fetch";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { readEarlierKit } from "../../../../provider/kits/contents/earlierKit.ts";
import { siteName } from "../../../../provider/kits/contents/kitImage.ts";
import type { KitManifest } from "../../../../provider/kits/contents/manifest.ts";
import { type KitRequest, writeKit } from "../../../../provider/kits/contents/writeKit.ts";
import { signerFrom } from "../../../../provider/publishing/images/signing/signer.ts";
import { OciLayout } from "../../../../provider/publishing/index.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { FasterClock } from "../../../simulation/fasterClock.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

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
/** Digests by tag. */
let tags: Map<string, string>;
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
  tags = new Map([["1", top]]);
});

/** By the distribution specification. */
function answer(path: string, range = ""): Response {
  const [, kind = "", name = ""] = /^\/v2\/library\/nginx\/(manifests|blobs)\/(.*)$/.exec(path) ?? [];
  const bytes = blobs.get(tags.get(name) ?? name);
  if (bytes === undefined) return new Response('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}', { status: 404 });
  const type = (JSON.parse(kind === "manifests" ? bytes.toString() : "{}") as { mediaType?: string })
    .mediaType;
  const [, from] = /^bytes=(\d+)-$/.exec(range) ?? [];
  const headers = { "content-type": type ?? "application/octet-stream" };
  if (from === undefined) return new Response(bytes, { headers });
  const part = { ...headers, "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  return new Response(bytes.subarray(Number(from)), { status: 206, headers: part });
}

interface Given extends Partial<KitRequest> {
  readonly version?: string;
  /** Of the site. */
  readonly domain?: string;
  /** Gets each line of progress. */
  readonly progress?: (line: string) => void;
}

async function kitOf(given: Given = {}) {
  const { version = "v1", domain, progress = () => undefined, ...request } = given;
  const { file: path } = packedSite(folder, version, { "index.html": version });
  const bytes = readFileSync(path);
  const sha256 = digestOf(bytes).slice("sha256:".length);
  const clock = new FasterClock(1_000);
  const fetch = (url: string, { headers }: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    asked.push(pathname.slice("/v2/library/nginx/".length));
    return Promise.resolve(answer(pathname, (headers as Record<string, string>)["range"]));
  };
  const bundle = {
    path,
    format: "tar.gz",
    sha256,
    size: bytes.length,
    version,
    root: "",
    leftOut: [],
    ...(domain !== undefined && { domain }),
  } as const;
  const written = await writeKit(
    {
      bundle,
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
      reporter: { ...recordingReporter(), progress },
      secrets: new Secrets(),
      signal: new AbortController().signal,
      deadline: startDeadline(clock, 3_600_000),
      environment: () => undefined,
      owner: OWNER,
    },
  );
  const { name } = written;
  const json = (file: string): unknown => JSON.parse(readFileSync(join(kits, name, file), "utf8"));
  return {
    written,
    path: join(kits, name),
    manifest: json("manifest.json") as KitManifest,
    index: json("images/index.json") as { manifests: { digest: string; annotations: object }[] },
    files: readdirSync(join(kits, name, "images/blobs/sha256")).sort(),
  };
}
const layer = (text: string): string => digestOf(Buffer.from(text));
const hex = (digest: string): string => digest.slice("sha256:".length);
const blobFile = (path: string, digest: string): string => join(path, "images/blobs/sha256", hex(digest));
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

test.each(["ec", "ed25519"] as const)(
  "a kit that is signed with a key of the kind %s is the same kit the second time, with the signature of its image",
  async (kind) => {
    const { privateKey } =
      kind === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const signer = signerFrom("KEY", { environment: () => pem });
    const first = await kitOf({ signer });
    const again = await kitOf({ signer });
    expect(again.written).toEqual(first.written);
    expect(again.manifest).toEqual(first.manifest);
    expect(first.manifest.artifacts).toHaveLength(4);
    expect(first.files).toEqual(first.manifest.blobs.map(({ digest }) => hex(digest)));
    expect(first.index.manifests.map(({ digest }) => digest)).toEqual(
      [...first.manifest.images, ...(first.manifest.artifacts ?? [])].map(({ digest }) => digest),
    );
    // it is a file of the kit as all others
    const sums = readFileSync(join(first.path, "SHA256SUMS"), "utf8");
    for (const { digest } of first.manifest.artifacts ?? []) {
      expect(sums).toContain(`images/blobs/sha256/${hex(digest)}`);
    }
  },
);

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
  const draft = readdirSync(kits).find((name) => name.endsWith(".draft")) ?? "";
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
    expect(readdirSync(kits).filter((name) => name !== MARKS_FOLDER)).toHaveLength(1);
    renameSync(join(folder, "draft"), join(kits, draft));
  }
});

test("a layer that does not match its digest is an error, and in no kit", async () => {
  blobs.set(layer("layer of amd64"), Buffer.from("layer of AMD64"));
  await expect(kitOf()).rejects.toThrow("the registry gave something else for");
  expect(readdirSync(kits).filter((name) => !name.startsWith("."))).toEqual([]);
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

test("a search in the site's image is in the facts about the kit and in its provenance; the kit has another path", async () => {
  const plain = await kitOf();
  expect(plain.written).not.toHaveProperty("search");
  const { written, path } = await kitOf({ additions: { offlineSearch: true, hasFile: () => false } });
  expect(written.search).toEqual({
    searchPages: expect.any(Number) as number,
    searchVersion: expect.any(String) as string,
  });
  expect(written.name).not.toBe(plain.written.name);
  const parametersOf = (kit: string): unknown =>
    (
      JSON.parse(readFileSync(join(kit, "provenance.json"), "utf8")) as {
        predicate: { buildDefinition: { externalParameters: unknown } };
      }
    ).predicate.buildDefinition.externalParameters;
  expect(parametersOf(plain.path)).not.toHaveProperty("offlineSearch");
  expect(parametersOf(path)).toHaveProperty("offlineSearch", true);
});

test("Markdown in the site's image is in the facts about the kit, in its provenance, its SBOM and its README", async () => {
  const plain = await kitOf();
  const { written, path } = await kitOf({ additions: { llmsTxt: true, hasFile: () => false } });
  const pages = expect.any(Number) as number;
  expect(written.search).toEqual({ llmsPages: pages, llmsVersion: "2" });
  const provenance = readFileSync(join(path, "provenance.json"), "utf8");
  expect(provenance).toMatch(/"llmsTxt": true/);
  expect(readFileSync(join(path, "sbom.cdx.json"), "utf8")).toContain("pulumi-docs-hosting/llms-txt");
  expect(readFileSync(join(path, "README.md"), "utf8")).toMatch(
    /`\/llms\.txt` of the installed site lists the Markdown of its \d+ pages/,
  );
  expect(readFileSync(join(plain.path, "README.md"), "utf8")).not.toContain("llms.txt");
});

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

test("the README lists the images and how they are loaded; without a chart, nothing is installed", async () => {
  const { path, written } = await kitOf();
  const readme = readFileSync(join(path, "README.md"), "utf8");
  expect(readme).toContain("- `nginx:1`\n- `site:v1`\n");
  expect(readme).toContain("`site:v1` serves the site on port 8080");
  expect(readme).not.toMatch(/install\.sh|helm/);
  expect(readdirSync(path)).toContain("load.sh");
  expect(readdirSync(path)).not.toContain("install.sh");
  expect(written).toMatchObject({ signed: false });
});

test("the README of a kit that leaves out an earlier one's layers says which kit to load first", async () => {
  const chart = join(folder, "chart");
  mkdirSync(chart);
  writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
  const first = await kitOf({ chart });
  const loadFirst = "This kit needs the images of the kit of version «v1»";
  const readmeOf = (path: string): string => readFileSync(join(path, "README.md"), "utf8");
  expect(readmeOf(first.path)).not.toContain("This kit needs");
  const since = readEarlierKit(join(first.path, "manifest.json"));
  const { path, manifest } = await kitOf({ version: "v2", chart, since });
  expect(readmeOf(path)).toContain(loadFirst);
  expect(manifest.since).toEqual({ version: "v1", sha256: since.sha256 });
  expect(manifest.needs.tools).toEqual(["sh", "coreutils", "tar", "openssl", "curl", "helm"]);
});

test("a manifest says how much room the kit's content needs: the bundle and every blob", async () => {
  const { manifest } = await kitOf();
  const { bundle, blobs: all, needs } = manifest;
  expect(needs.diskBytes).toBe(all.reduce((total, { size }) => total + size, bundle.size));
  expect(needs.tools).toEqual(["sh", "coreutils", "tar", "openssl", "curl"]);
  expect(all.map(({ digest }) => digest)).toEqual(all.map(({ digest }) => digest).sort());
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

test("a blob whose bytes are others on the disk than were written is an error, and in no kit", async () => {
  const damage = (line: string): void => {
    if (!line.startsWith("computing")) return;
    const draft = readdirSync(kits).find((name) => name.endsWith(".draft")) ?? "";
    writeFileSync(blobFile(join(kits, draft, "kit"), layer("shared layer")), "shared LAYER");
  };
  await expect(kitOf({ progress: damage })).rejects.toMatchObject({
    message: `images/blobs/sha256/${hex(layer("shared layer"))} of the kit has other bytes than were written`,
    remedy: "Check the disk, and run `pulumi up` again.",
  });
  expect(readdirSync(kits).filter((name) => !name.startsWith("."))).toEqual([]);
  const { path } = await kitOf();
  expect(readFileSync(blobFile(path, layer("shared layer")), "utf8")).toBe("shared layer");
});

test("an image in no index is taken for its own platform only; a layer that two images share is requested once", async () => {
  const { manifests } = JSON.parse(blobs.get(top)?.toString() ?? "") as { manifests: { digest: string }[] };
  tags.set("arm", manifests[1]?.digest ?? "");
  const arm = "registry.internal/library/nginx:arm";
  await expect(kitOf({ images: [arm] })).rejects.toMatchObject({
    message: `${arm} has no image for linux/amd64`,
    remedy: "Remove that platform from `platforms`, or name another image.",
  });
  asked = [];
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

test("layers are copied from the first earlier kit that has them whole; a link in its place is not followed", async () => {
  const first = await kitOf();
  const other = join(folder, "other");
  cpSync(first.path, other, { recursive: true });
  const [shared, own] = [layer("shared layer"), layer("layer of amd64")];
  writeFileSync(blobFile(first.path, shared), "short");
  rmSync(blobFile(other, own));
  asked = [];
  await kitOf({ version: "v2", earlier: [first.path, other] });
  expect(fetched()).toEqual([]);
  const elsewhere = join(folder, "elsewhere");
  renameSync(blobFile(other, shared), elsewhere);
  symlinkSync(elsewhere, blobFile(other, shared));
  await kitOf({ version: "v3", earlier: [first.path, other] });
  expect(fetched()).toEqual(["shared layer"]);
});
