import { createHash, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { Response } from "node-fetch";
import type { Fetch } from "../../provider/base/http/attempt.ts";

/** A manifest as it was sent. */
export interface StoredManifest {
  readonly type: string;
  readonly body: Buffer;
}

/** One repository, as a registry stores it. */
export interface StoredRepository {
  /** By digest. */
  readonly blobs: Map<string, Buffer>;
  /** By digest and by tag. */
  readonly manifests: Map<string, StoredManifest>;
}

/** A request as a registry receives it. */
export interface RegistryRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A reply of a registry. */
export interface RegistryReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes, or a value that is sent as JSON. */
  readonly body?: Buffer | object;
}

/** The reply to a request, or its status, in place of the registry's own reply. */
export type RegistryRule = (
  method: string,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
) => number | RegistryReply | undefined;

const NO_REPOSITORY = (): StoredRepository => ({ blobs: new Map(), manifests: new Map() });

/**
 * A registry in memory: the distribution specification with removal, without referrers. It asks for no login. Its server is in
 * `registryStub.ts`, and what other registries do differently in `registryQuirks.ts`.
 */
export class MemoryRegistry {
  /** By path. */
  readonly repositories = new Map<string, StoredRepository>();
  /** Methods and paths of all requests. */
  readonly requests: string[] = [];
  /** How often each blob was sent, and each manifest that was not there, by digest. */
  readonly sent = new Map<string, number>();
  rule: RegistryRule | undefined;
  /** Whether it refuses a manifest whose configuration or layers it does not have, as distribution does. */
  checksBlobs = false;
  /** Whether nothing can be removed. */
  refusesRemoval = false;
  readonly #uploads = new Map<string, Buffer>();
  readonly #shared: StoredRepository | undefined;

  /** @param isShared whether all paths are the same repository */
  constructor(isShared = false) {
    this.#shared = isShared ? NO_REPOSITORY() : undefined;
  }

  /** The repository at a path, which need not have anything. */
  at(path: string): StoredRepository {
    if (this.#shared) return this.#shared;
    const found = this.repositories.get(path) ?? NO_REPOSITORY();
    this.repositories.set(path, found);
    return found;
  }

  /** The registry as a function, without a server. All hosts are the same. */
  readonly fetch: Fetch = async (url, { method = "GET", headers, body }) => {
    const sent =
      typeof body === "string" || Buffer.isBuffer(body)
        ? Buffer.from(body)
        : body
          ? await buffer(body as AsyncIterable<Uint8Array>)
          : Buffer.alloc(0);
    const lowerCase = Object.fromEntries(new Headers(headers as Record<string, string>));
    const reply = this.answer({ method, url: new URL(url), headers: lowerCase, body: sent });
    const content = contentOf(reply);
    const { status, headers: said = {} } = reply;
    return new Response(method === "HEAD" ? null : content, { status, headers: said });
  };

  answer(request: RegistryRequest): RegistryReply {
    const { method, url, headers } = request;
    const { pathname, searchParams } = url;
    this.requests.push(`${method} ${pathname}`);
    const ruled = this.rule?.(method, pathname, searchParams, headers);
    if (ruled === 404) return unknown("MANIFEST_UNKNOWN");
    if (ruled !== undefined) return typeof ruled === "number" ? { status: ruled } : ruled;
    if (pathname === "/v2/") return { status: 200 };
    const [, path = "", kind = "", name = ""] =
      /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests|tags)\/(.*)$/.exec(pathname) ?? [];
    if (kind === "tags") return this.#tags(path);
    if (kind === "manifests") return this.#manifest(request, path, name);
    if (kind === "blobs/uploads") return this.#upload(request, path, name);
    const blob = kind === "blobs" ? this.at(path).blobs.get(name) : undefined;
    return blob ? { status: 200, body: blob } : unknown("BLOB_UNKNOWN");
  }

  #tags(name: string): RegistryReply {
    const tags = [...this.at(name).manifests.keys()].filter((key) => !isDigest(key)).sort();
    return { status: 200, headers: { "content-type": "application/json" }, body: { name, tags } };
  }

  #manifest({ method, headers, body }: RegistryRequest, path: string, name: string): RegistryReply {
    const { manifests, blobs } = this.at(path);
    if (method === "PUT") {
      const missing = this.checksBlobs && blobsOf(body).find((each) => !blobs.has(each));
      if (missing !== false && missing !== undefined) {
        return { status: 400, body: { errors: [{ code: "MANIFEST_BLOB_UNKNOWN", message: missing }] } };
      }
      const digest = digestOf(body);
      const manifest = { type: headers["content-type"] ?? "", body };
      if (!manifests.has(digest)) this.#count(digest);
      manifests.set(digest, manifest).set(name, manifest);
      return { status: 201, headers: { "docker-content-digest": digest } };
    }
    const found = manifests.get(name);
    if (!found) return unknown("MANIFEST_UNKNOWN");
    const digest = digestOf(found.body);
    if (method !== "DELETE") {
      const known = { "content-type": found.type, "docker-content-digest": digest };
      return { status: 200, headers: known, body: found.body };
    }
    if (this.refusesRemoval) return { status: 405 };
    for (const [key, each] of manifests) {
      if (key === name || (isDigest(name) && digestOf(each.body) === digest)) manifests.delete(key);
    }
    return { status: 202 };
  }

  #upload({ method, url, body }: RegistryRequest, path: string, id: string): RegistryReply {
    const { blobs } = this.at(path);
    if (method === "POST") {
      const mounted = this.at(url.searchParams.get("from") ?? "").blobs.get(
        url.searchParams.get("mount") ?? "",
      );
      if (mounted) {
        blobs.set(digestOf(mounted), mounted);
        return { status: 201 };
      }
      const begun = randomUUID();
      this.#uploads.set(begun, Buffer.alloc(0));
      return { status: 202, headers: { location: `/v2/${path}/blobs/uploads/${begun}` } };
    }
    const sent = Buffer.concat([this.#uploads.get(id) ?? Buffer.alloc(0), body]);
    if (method === "PATCH") {
      this.#uploads.set(id, sent);
      return { status: 202, headers: { location: url.pathname, range: `0-${sent.length - 1}` } };
    }
    this.#uploads.delete(id);
    if (method === "DELETE") return { status: 204 };
    const digest = url.searchParams.get("digest") ?? "";
    if (digestOf(sent) !== digest) return { status: 400 };
    blobs.set(digest, sent);
    this.#count(digest);
    return { status: 201, headers: { "docker-content-digest": digest } };
  }

  #count(digest: string): void {
    this.sent.set(digest, (this.sent.get(digest) ?? 0) + 1);
  }
}

/** What there is not, as distribution says it. */
function unknown(code: string): RegistryReply {
  const headers = { "content-type": "application/json", "docker-distribution-api-version": "registry/2.0" };
  return { status: 404, headers, body: { errors: [{ code, message: "unknown" }] } };
}

/** The digests of the configuration and of the layers of a manifest. */
function blobsOf(manifest: Buffer): string[] {
  const { config, layers = [] } = JSON.parse(manifest.toString()) as {
    config?: { digest: string };
    layers?: { digest: string }[];
  };
  return [...(config ? [config] : []), ...layers].map(({ digest }) => digest);
}

/** The bytes of a reply. */
export function contentOf({ body }: RegistryReply): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

/** Whether the name of a manifest is not a tag. */
export function isDigest(name: string): boolean {
  return name.startsWith("sha256:");
}

/** The digest of a manifest or blob. */
export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
