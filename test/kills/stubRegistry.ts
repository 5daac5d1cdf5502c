import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "vitest";

/** A registry in memory: the part of the distribution specification that a copy without a base needs. */
export interface StubRegistry {
  readonly host: string;
  /** By digest. */
  readonly blobs: Set<string>;
  /** Digests and tags. */
  readonly manifests: Map<string, Buffer>;
  /** The number of times that each blob and manifest was sent, by digest. */
  readonly sent: Map<string, number>;
}

export async function startStubRegistry({
  onTestFinished,
}: Pick<TestContext, "onTestFinished">): Promise<StubRegistry> {
  const blobs = new Set<string>();
  const manifests = new Map<string, Buffer>();
  const sent = new Map<string, number>();
  const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const count = (digest: string): void => void sent.set(digest, (sent.get(digest) ?? 0) + 1);
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const { pathname, searchParams } = new URL(url, "http://stub");
    const [, kind = "", name = ""] = /^\/v2\/.*\/(blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
    const answered = buffer(request).then((body) => {
      const end = (status: number, headers: Record<string, string> = {}, bytes?: Buffer): void =>
        void response.writeHead(status, headers).end(method === "HEAD" ? undefined : bytes);
      if (pathname === "/v2/") return end(200);
      if (pathname.endsWith("/tags/list")) {
        const tags = [...manifests.keys()].filter((each) => !each.startsWith("sha256:"));
        return end(200, { "content-type": "application/json" }, Buffer.from(JSON.stringify({ tags })));
      }
      if (kind === "blobs" && method === "POST") return end(202, { location: `${pathname}upload` });
      if (kind === "blobs" && method === "PUT") {
        const digest = searchParams.get("digest") ?? "";
        if (digestOf(body) !== digest) return end(400);
        blobs.add(digest);
        count(digest);
        return end(201, { "docker-content-digest": digest, location: pathname });
      }
      if (kind === "blobs" && method === "HEAD") return end(blobs.has(name) ? 200 : 404);
      if (kind === "manifests" && method === "PUT") {
        const digest = digestOf(body);
        if (!manifests.has(digest)) count(digest);
        manifests.set(digest, body).set(name, body);
        return end(201, { "docker-content-digest": digest });
      }
      const found = manifests.get(name);
      if (kind === "manifests" && method === "DELETE" && found) {
        for (const [each, bytes] of manifests) if (bytes.equals(found)) manifests.delete(each);
        return end(202);
      }
      if (kind !== "manifests" || !found) return end(404, {}, Buffer.from('{"errors":[]}'));
      const { mediaType } = JSON.parse(found.toString()) as { mediaType: string };
      end(200, { "content-type": mediaType, "docker-content-digest": digestOf(found) }, found);
    });
    answered.catch(() => undefined); // the client was killed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, blobs, manifests, sent };
}
