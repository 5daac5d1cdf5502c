import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import fetch from "node-fetch";
import { expect, type TestContext } from "vitest";
import { openGcs } from "../../../../../../provider/publishing/destinations/objectStore/gcs/gcsStore.ts";
import type { ObjectStore } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { stubOperation } from "../../../../../simulation/bucketStub.ts";
import { FasterClock } from "../../../../../simulation/fasterClock.ts";

export const PLACE = { gcsBucket: "docs" };

export const OBJECTS = "/storage/v1/b/docs/o";

export const HEADERS = { contentType: "text/html; charset=utf-8", cacheControl: "no-cache" };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly range: string | undefined;
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly text?: string;
  /** The connection ends without an answer. */
  readonly isCut?: boolean;
}

export const refusal = (code: number, reason: string, message: string): Answer => ({
  status: code,
  json: { error: { code, message, errors: [{ domain: "global", reason, message }] } },
});

export async function open(
  context: TestContext,
  answer: (request: Seen) => Answer,
  signal?: AbortSignal,
): Promise<{ store: ObjectStore; requests: string[] }> {
  const requests: string[] = [];
  const respond = async (incoming: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? "", "http://store");
    const pieces: Buffer[] = [];
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
    const [method, range] = [incoming.method ?? "", incoming.headers["content-range"]];
    requests.push([method, decodeURIComponent(pathname), range].filter(Boolean).join(" "));
    expect(incoming.headers.authorization).toBeUndefined();
    return answer({ method, path: decodeURIComponent(pathname), query, range, body: Buffer.concat(pieces) });
  };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming).then(
      ({ status = 200, headers = {}, json = {}, text = JSON.stringify(json), isCut }) => {
        if (isCut) return void incoming.socket.destroy();
        outgoing.writeHead(status, headers).end(text);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new FasterClock(50);
  const place = { ...(await stubOperation(context, signal)), fetch, clock };
  const store = await openGcs({ ...PLACE, endpoint }, place);
  context.onTestFinished(() => store.close());
  return { store, requests };
}

export const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

export const md5 = (content: Buffer): string => createHash("md5").update(content).digest("base64");

export const send = (store: ObjectStore, content: Buffer): Promise<void> =>
  store.send({ key: "v/a", size: content.length, sha256: sha256(content), headers: HEADERS }, content, {
    onlyIf: "absent",
  });
