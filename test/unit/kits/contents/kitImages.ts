import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RequestInit, Response } from "node-fetch";
import { beforeEach, onTestFinished } from "vitest";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import type { KitManifest } from "../../../../provider/kits/contents/manifest.ts";
import { type KitRequest, writeKit } from "../../../../provider/kits/contents/writeKit.ts";
import { FasterClock } from "../../../simulation/fasterClock.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

export const INDEX = "application/vnd.oci.image.index.v1+json";

export const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

export const CONFIG = "application/vnd.oci.image.config.v1+json";

export const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

export const BASE = "registry.internal/library/nginx:1";

export let folder: string;

export let kits: string;

/** All contents of the registry, by digest. */
export let blobs: Map<string, Buffer>;

export let top: string;

/** Digests by tag. */
export let tags: Map<string, string>;

export let asked: string[];

export const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export const stored = (content: object | string): { digest: string; size: number } => {
  const bytes = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const digest = digestOf(bytes);
  blobs.set(digest, bytes);
  return { digest, size: bytes.length };
};

/** Each test has a registry, and a folder for kits, of its own. */
export function withRegistry(): void {
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
}

/** By the distribution specification. */
export function answer(path: string, range = ""): Response {
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

export interface Given extends Partial<KitRequest> {
  readonly version?: string;
  /** Of the site. */
  readonly domain?: string;
  /** Gets each line of progress. */
  readonly progress?: (line: string) => void;
}

export async function kitOf(given: Given = {}) {
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

export const layer = (text: string): string => digestOf(Buffer.from(text));

export const hex = (digest: string): string => digest.slice("sha256:".length);

export const blobFile = (path: string, digest: string): string =>
  join(path, "images/blobs/sha256", hex(digest));

/** Requested layers. */
export const fetched = (): string[] =>
  ["shared layer", "layer of amd64", "layer of arm64"].filter((text) =>
    asked.includes(`blobs/${layer(text)}`),
  );
