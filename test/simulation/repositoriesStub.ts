import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { TestContext } from "vitest";

/** One repository, as a registry stores it. */
export interface StoredRepository {
  /** By digest. */
  readonly blobs: Map<string, Buffer>;
  /** By digest. */
  readonly manifests: Map<string, { readonly type: string; readonly body: Buffer }>;
  /** The digest that each tag names. */
  readonly tags: Map<string, string>;
}

/**
 * A registry in memory with several repositories, as the distribution specification has them: each with its own blobs, manifests and
 * tags, which can be listed and removed. It asks for no login, and has no API for referrers.
 */
export interface RepositoriesStub {
  /** `localhost` and the port. */
  readonly host: string;
  /** By path. */
  readonly repositories: ReadonlyMap<string, StoredRepository>;
  readonly requests: readonly { readonly method: string; readonly path: string }[];
  /** The repository at a path, which need not have anything. */
  at(path: string): StoredRepository;
}

/** Starts a registry until the test ends. */
export async function startRepositoriesStub(
  context: Pick<TestContext, "onTestFinished">,
): Promise<RepositoriesStub> {
  const repositories = new Map<string, StoredRepository>();
  const requests: { method: string; path: string }[] = [];
  const uploads = new Map<string, Buffer>();
  const at = (path: string): StoredRepository => {
    const found = repositories.get(path) ?? { blobs: new Map(), manifests: new Map(), tags: new Map() };
    repositories.set(path, found);
    return found;
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://stub");
    requests.push({ method: request.method ?? "", path: pathname });
    const answered = buffer(request).then((body) => {
      const [, path = "", kind = "", name = ""] =
        /^\/v2\/(.+)\/(blobs|manifests|tags|referrers)\/(.+)$/.exec(pathname) ?? [];
      if (kind === "") return end(response, pathname === "/v2/" ? 200 : 404);
      if (kind === "tags") return listTags(response, path, at(path));
      if (kind === "manifests") return answerManifest(request, response, at(path), name, body);
      if (kind !== "blobs") return end(response, 404);
      if (name === "uploads/" && request.method === "POST") {
        const mounted = at(searchParams.get("from") ?? "").blobs.get(searchParams.get("mount") ?? "");
        if (mounted) {
          at(path).blobs.set(digestOf(mounted), mounted);
          return end(response, 201);
        }
        const id = randomUUID();
        uploads.set(id, Buffer.alloc(0));
        return end(response, 202, { location: `/v2/${path}/blobs/uploads/${id}` });
      }
      return answerBlob({ request, response, repository: at(path), uploads, body }, name, searchParams);
    });
    answered.catch(() => undefined); // the client was killed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  return { host: `localhost:${(server.address() as AddressInfo).port}`, repositories, requests, at };
}

function end(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  body?: Buffer,
  isHead = false,
): void {
  response.writeHead(status, { ...headers, ...(body && { "content-length": String(body.length) }) });
  response.end(isHead ? undefined : body);
}

function listTags(response: ServerResponse, name: string, { tags }: StoredRepository): void {
  const body = Buffer.from(JSON.stringify({ name, tags: [...tags.keys()].sort() }));
  end(response, 200, { "content-type": "application/json" }, body);
}

function answerManifest(
  { method = "", headers }: IncomingMessage,
  response: ServerResponse,
  { manifests, tags }: StoredRepository,
  name: string,
  body: Buffer,
): void {
  const digest = name.startsWith("sha256:") ? name : tags.get(name);
  if (method === "PUT") {
    const stored = digestOf(body);
    manifests.set(stored, { type: headers["content-type"] ?? "", body });
    if (!name.startsWith("sha256:")) tags.set(name, stored);
    return end(response, 201, { "docker-content-digest": stored });
  }
  const found = manifests.get(digest ?? "");
  if (found === undefined || digest === undefined) return end(response, 404);
  if (method === "DELETE") {
    manifests.delete(digest);
    for (const [tag, named] of tags) if (named === digest) tags.delete(tag);
    return end(response, 202);
  }
  const kept = { "content-type": found.type, "docker-content-digest": digest };
  end(response, 200, kept, found.body, method === "HEAD");
}

interface BlobRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly repository: StoredRepository;
  readonly uploads: Map<string, Buffer>;
  readonly body: Buffer;
}

function answerBlob(
  { request, response, repository, uploads, body }: BlobRequest,
  name: string,
  query: URLSearchParams,
): void {
  const { method = "", url = "" } = request;
  const [, id] = /^uploads\/(.+)$/.exec(name) ?? [];
  if (id === undefined) {
    const blob = repository.blobs.get(name);
    return blob ? end(response, 200, {}, blob, method === "HEAD") : end(response, 404);
  }
  const sent = Buffer.concat([uploads.get(id) ?? Buffer.alloc(0), body]);
  if (method === "DELETE") {
    uploads.delete(id);
    return end(response, 204);
  }
  if (method === "PATCH") {
    uploads.set(id, sent);
    return end(response, 202, { location: url, range: `0-${sent.length - 1}` });
  }
  const digest = query.get("digest") ?? "";
  uploads.delete(id);
  if (digestOf(sent) !== digest) return end(response, 400);
  repository.blobs.set(digest, sent);
  end(response, 201, { "docker-content-digest": digest, location: url });
}

/** Stores a web server's image without files, which copies can have as their base. */
export function storeBaseImage({ at }: Pick<RepositoriesStub, "at">, path: string, tag: string): void {
  const { blobs, manifests, tags } = at(path);
  const stored = (mediaType: string, body: Buffer): object => {
    blobs.set(digestOf(body), body);
    return { mediaType, digest: digestOf(body), size: body.length };
  };
  const type = "application/vnd.oci.image.manifest.v1+json";
  const files = Buffer.alloc(1024); // the end of a tar
  const rootfs = { type: "layers", diff_ids: [digestOf(files)] };
  const image = { os: "linux", architecture: "amd64", config: {}, rootfs };
  const manifest = {
    schemaVersion: 2,
    mediaType: type,
    config: stored("application/vnd.oci.image.config.v1+json", Buffer.from(JSON.stringify(image))),
    layers: [stored("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(files))],
  };
  const body = Buffer.from(JSON.stringify(manifest));
  manifests.set(digestOf(body), { type, body });
  tags.set(tag, digestOf(body));
}

/** The digest of a blob or manifest. */
export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
