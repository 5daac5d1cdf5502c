import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { LINK_QUERY } from "./canary.ts";
import type { Identity } from "./certificates.ts";

/** A request for a bundle, as it came in. */
export interface StoreRequest {
  /** With its query. */
  path: string;
  headers: IncomingMessage["headers"];
}

/** What a store does instead of a right reply; `false` leaves the request to it. */
export type Misbehaviour = (response: ServerResponse, request: StoreRequest, number: number) => boolean;

export interface BundleStore {
  origin: string;
  /** The served content, by its ETag: may be replaced at any time. */
  content: Buffer;
  etag: string | undefined;
  requests: StoreRequest[];
  /** Bytes of bundles that were sent, as far as the store knows. */
  sent: () => number;
  misbehave: Misbehaviour;
  /** A link that has not been used yet. */
  mint: () => Promise<{ url: string }>;
  minted: () => number;
}

/** Random bytes, which cannot be compressed, the same for the same seed. */
export function bundleOf(size: number, seed = "bundle"): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
    createHash("sha256").update(`${seed} ${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, size);
}

export const digestOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** A store with S3's behaviour: ranges, and `If-Match`, which it checks first. Until the test ends. */
export async function bundleStore(
  content: Buffer,
  misbehave: Misbehaviour = () => false,
  { identity, host = "127.0.0.1" }: { identity?: Identity; host?: string } = {},
): Promise<BundleStore> {
  let sent = 0;
  let minted = 0;
  const onRequest = (incoming: IncomingMessage, response: ServerResponse): void => {
    const request = { path: incoming.url ?? "", headers: incoming.headers };
    const number = store.requests.push(request);
    if (!store.misbehave(response, request, number)) serve(store, request, response);
  };
  const server: Server = identity ? createTlsServer(identity, onRequest) : createServer(onRequest);
  server.on("connection", (socket) => {
    socket.once("close", () => (sent += socket.bytesWritten));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const origin = `${identity ? "https" : "http"}://${host}:${port}`;
  const store: BundleStore = {
    origin,
    content,
    etag: `"${digestOf(content).slice(0, 32)}"`,
    requests: [],
    sent: () => sent,
    misbehave,
    mint: () => Promise.resolve({ url: `${origin}/bundle.tar.gz?link=${++minted}&${LINK_QUERY}` }),
    minted: () => minted,
  };
  return store;
}

/** Answers correctly. */
export function serve(
  { content, etag }: Pick<BundleStore, "content" | "etag">,
  { headers }: StoreRequest,
  response: ServerResponse,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? NaN);
  const tag = etag === undefined ? {} : { etag };
  if (headers["if-match"] !== undefined && headers["if-match"] !== etag) {
    response.writeHead(412, { "content-type": "application/xml" });
    response.end("<Error><Code>PreconditionFailed</Code></Error>");
  } else if (Number.isNaN(from)) {
    response.writeHead(200, { ...tag, "content-length": content.length });
    response.end(content);
  } else if (from >= content.length) {
    response.writeHead(416, { "content-range": `bytes */${content.length}` });
    response.end();
  } else {
    const range = `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { ...tag, "content-range": range, "content-length": content.length - from });
    response.end(content.subarray(from));
  }
}

/** Sends the right head, and this number of bytes of the body. Then the connection breaks, unless it stays open. */
export function cutAfter(count: number, { stays = false } = {}): (store: BundleStore) => Misbehaviour {
  return (store) => (response, request) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const { content, etag } = store;
    response.writeHead(from > 0 ? 206 : 200, {
      ...(etag !== undefined && { etag }),
      "content-length": content.length - from,
      ...(from > 0 && { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` }),
    });
    response.flushHeaders();
    const end = (): void => {
      if (!stays) response.destroy();
    };
    if (count > 0) response.write(content.subarray(from, from + count), end);
    else end();
    return true;
  };
}

/** Has the fault at the first requests only. */
export const atFirst =
  (count: number, misbehaviour: Misbehaviour): Misbehaviour =>
  (...call) =>
    call[2] <= count && misbehaviour(...call);

/** Answers only with this. */
export const saying =
  (status: number, body = "", headers: Record<string, string> = {}): Misbehaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
