import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { TestContext } from "vitest";

/** A registry in memory with the part of the distribution specification that copies need. It asks for no login. */
export interface RegistryStub {
  /** Host and port. */
  readonly host: string;
  /** By digest. */
  readonly blobs: Map<string, Buffer>;
  /** By digest and by tag. */
  readonly manifests: Map<string, { readonly type: string; readonly body: Buffer }>;
  /** Methods and paths of all requests. */
  readonly requests: string[];
  /** Whether nothing can be removed. @default false */
  refusesRemoval?: boolean;
  /** The reply to a request, or its status, in place of the registry's own reply. */
  rule?: (
    method: string,
    path: string,
    query: URLSearchParams,
    headers: IncomingHttpHeaders,
  ) => number | StubReply | undefined;
}

/** A reply of {@link RegistryStub.rule}. */
export interface StubReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** Starts a registry until the test ends. */
export async function startRegistryStub(context: Pick<TestContext, "onTestFinished">): Promise<RegistryStub> {
  const blobs: RegistryStub["blobs"] = new Map();
  const manifests: RegistryStub["manifests"] = new Map();
  const requests: string[] = [];
  const registry: Omit<RegistryStub, "host"> = { blobs, manifests, requests };
  let upload = Buffer.alloc(0);
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const { pathname, searchParams } = new URL(url, "http://stub");
      requests.push(`${method} ${pathname}`);
      const [, kind = "", name = ""] = /\/(blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
      const isRead = method === "GET" || method === "HEAD";
      const reply = (status: number, more: Record<string, string | number> = {}, content?: Buffer): void => {
        response.writeHead(status, { ...more, ...(content && { "content-length": content.length }) });
        response.end(method === "HEAD" ? undefined : content);
      };
      const ruled = registry.rule?.(method, pathname, searchParams, headers);
      if (typeof ruled === "number") return reply(ruled);
      if (ruled !== undefined) {
        return reply(ruled.status, ruled.headers, ruled.body && Buffer.from(JSON.stringify(ruled.body)));
      }
      if (isRead && pathname.endsWith("/tags/list")) {
        const tags = [...manifests.keys()].filter((key) => !key.startsWith("sha256:")).sort();
        return reply(200, {}, Buffer.from(JSON.stringify({ tags })));
      }
      if (kind === "") return reply(200);
      if (isRead && kind === "blobs") {
        const blob = blobs.get(name);
        return blob ? reply(200, {}, blob) : reply(404);
      }
      if (isRead) {
        const found = manifests.get(name);
        if (!found) return reply(404);
        return reply(
          200,
          { "content-type": found.type, "docker-content-digest": digestOf(found.body) },
          found.body,
        );
      }
      if (kind === "manifests" && method === "DELETE") {
        if (registry.refusesRemoval) return reply(405);
        for (const [key, { body: stored }] of manifests) if (digestOf(stored) === name) manifests.delete(key);
        return reply(202);
      }
      if (kind === "manifests") {
        const manifest = { type: headers["content-type"] ?? "", body };
        manifests.set(name, manifest).set(digestOf(body), manifest);
        return reply(201);
      }
      upload = method === "POST" ? body : Buffer.concat([upload, body]);
      const digest = searchParams.get("digest");
      if (method === "PUT" && digest !== null) {
        blobs.set(digest, upload);
        return reply(201);
      }
      return reply(202, {
        location: pathname.endsWith("/1") ? pathname : `${pathname}1`,
        ...(method !== "POST" && { range: `0-${upload.length - 1}` }),
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  return Object.assign(registry, { host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Stores an image without files, which copies can have as their base. @returns its description in an index */
export function storeBase(
  { blobs, manifests }: RegistryStub,
  tag: string,
  labels: Readonly<Record<string, string>> = {},
  platform = { os: "linux", architecture: "amd64" },
): object {
  const stored = (mediaType: string, body: Buffer): object => {
    blobs.set(digestOf(body), body);
    return { mediaType, digest: digestOf(body), size: body.length };
  };
  const type = "application/vnd.oci.image.manifest.v1+json";
  const layer = gzipSync(Buffer.alloc(1024)); // the end of a tar
  const rootfs = { type: "layers", diff_ids: [digestOf(Buffer.alloc(1024))] };
  const image = { ...platform, config: { Labels: labels }, rootfs };
  const config = Buffer.from(JSON.stringify(image));
  const manifest = {
    schemaVersion: 2,
    mediaType: type,
    config: stored("application/vnd.oci.image.config.v1+json", config),
    layers: [stored("application/vnd.oci.image.layer.v1.tar+gzip", layer)],
  };
  const body = Buffer.from(JSON.stringify(manifest));
  manifests.set(tag, { type, body }).set(digestOf(body), { type, body });
  return { mediaType: type, digest: digestOf(body), size: body.length, platform };
}

/** Stores an index of images. */
export function storeIndex({ manifests }: RegistryStub, tag: string, images: readonly object[]): string {
  const type = "application/vnd.oci.image.index.v1+json";
  const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, manifests: images }));
  manifests.set(tag, { type, body }).set(digestOf(body), { type, body });
  return digestOf(body);
}
