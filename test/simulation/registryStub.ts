import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { TestContext } from "vitest";
import { contentOf, digestOf, MemoryRegistry, type StoredRepository } from "./memoryRegistry.ts";

/** A server of a registry in memory. */
export type RegistryServer = MemoryRegistry & {
  /** Host and port. */
  readonly host: string;
};

/** A registry with a single repository, which has all paths. */
export type RegistryStub = RegistryServer & StoredRepository;

/** Starts a registry with a single repository until the test ends. */
export async function startRegistryStub(context: Pick<TestContext, "onTestFinished">): Promise<RegistryStub> {
  const registry = new MemoryRegistry(true);
  return Object.assign(await startRegistryServer(context, registry), registry.at(""));
}

/** Starts a registry until the test ends. @param registry by default an empty one with separate repositories */
export async function startRegistryServer(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  registry = new MemoryRegistry(),
): Promise<RegistryServer> {
  const server = createServer((request, response) => {
    const answered = buffer(request).then((body) => {
      const { method = "", headers } = request;
      const reply = registry.answer({
        method,
        headers,
        body,
        url: new URL(request.url ?? "", "http://stub"),
      });
      const content = contentOf(reply);
      const length = reply.body !== undefined && { "content-length": content.length };
      response.writeHead(reply.status, { ...reply.headers, ...length });
      response.end(method === "HEAD" ? undefined : content);
    });
    answered.catch(() => undefined); // the client was killed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return Object.assign(registry, { host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Stores an image without files, which copies can have as their base. @returns its description in an index */
export function storeBase(
  { blobs, manifests }: StoredRepository,
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
export function storeIndex(
  { manifests }: Pick<StoredRepository, "manifests">,
  tag: string,
  images: readonly object[],
): string {
  const type = "application/vnd.oci.image.index.v1+json";
  const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, manifests: images }));
  manifests.set(tag, { type, body }).set(digestOf(body), { type, body });
  return digestOf(body);
}
