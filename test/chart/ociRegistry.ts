import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "vitest";

/** What is stored under a name: `NAME/blobs/sha256:…`, `NAME/manifests/TAG` and `NAME/manifests/sha256:…`. */
export type Stored = Map<string, { type: string; body: Buffer }>;

/** A registry on this machine for artifacts (OCI distribution specification 1.1). Until the test ends. */
export async function startOciRegistry(
  context: Pick<TestContext, "onTestFinished">,
): Promise<{ host: string; stored: Stored }> {
  const stored: Stored = new Map();
  const server = createServer((request, response) => void answer(stored, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stored };
}

async function answer(stored: Stored, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://registry");
  const name = pathname.replace("/v2/", "");
  const body = await buffer(request);
  const keep = (key: string) => {
    const type = request.headers["content-type"] ?? "application/octet-stream";
    stored.set(key, { type, body });
    response.writeHead(201, { location: `/v2/${key}`, "docker-content-digest": digestOf(body) }).end();
  };
  if (pathname === "/v2/") return void response.writeHead(200).end();
  if (request.method === "POST") return void response.writeHead(202, { location: `/v2/${name}1` }).end();
  if (request.method === "PUT" && name.includes("/blobs/uploads/")) {
    const digest = searchParams.get("digest");
    if (digest !== digestOf(body)) return void response.writeHead(400).end();
    return keep(name.replace(/uploads\/.*/, digest));
  }
  if (request.method === "PUT") {
    keep(name);
    return void stored.set(name.replace(/[^/]*$/, digestOf(body)), stored.get(name) ?? { type: "", body });
  }
  const found = stored.get(name);
  if (!found) return void response.writeHead(404).end();
  response.writeHead(200, {
    "content-type": found.type,
    "content-length": found.body.length,
    "docker-content-digest": digestOf(found.body),
  });
  response.end(request.method === "HEAD" ? undefined : found.body);
}

export function digestOf(body: Buffer): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
