import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { Traffic } from "../traffic.ts";
import type { BucketStore, SeenRequest, Spoiled } from "./store.ts";

/** Where the store listens. */
export type Target = Pick<RequestOptions, "socketPath" | "port">;

/** How the store says that it is too busy. */
interface Busy {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a proxy has of a store. */
type Spoiling = Pick<BucketStore, "spoil" | "traffic"> & { readonly origin: string; requests: SeenRequest[] };

/**
 * Puts a proxy before a store, until the test ends.
 *
 * @param root of the paths of the bucket's objects, with a slash at its end
 */
export async function startSpoilingProxy(
  context: Pick<TestContext, "onTestFinished">,
  target: Target,
  root: string,
  busy: Busy,
  host = "127.0.0.1",
): Promise<Spoiling> {
  const requests: SeenRequest[] = [];
  const traffic = new Traffic();
  const seam: Pick<BucketStore, "spoil"> = { spoil: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "", "http://store");
    const seen: SeenRequest = {
      method: incoming.method ?? "",
      key: decodeURIComponent(url.pathname).slice(root.length),
      query: url.searchParams,
      headers: incoming.headers,
    };
    requests.push(seen);
    traffic.passed({ requests: 1 });
    incoming.on("data", ({ length }: Buffer) => traffic.passed({ bytes: length }));
    const spoiled = seam.spoil(seen);
    if (spoiled === "slowDown") {
      incoming.resume();
      outgoing.writeHead(503, busy.headers).end(busy.body);
    } else pass(incoming, outgoing, target, spoiled);
  });
  await new Promise<void>((resolve) => proxy.listen(0, host, resolve));
  context.onTestFinished(() => proxy.close().closeAllConnections());
  const origin = `http://${host}:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(seam, { origin, requests, traffic });
}

/** Passes a request on. */
export function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: Target,
  spoiled: Spoiled,
): void {
  if (spoiled === "stuck") return void incoming.resume();
  const { method, url, headers } = incoming;
  // its own connection: the store may just be closing one that is kept alive
  const forwarded = httpRequest({ ...target, method, path: url, headers, agent: false });
  const drop = (): void => {
    forwarded.destroy();
    incoming.socket.destroy();
  };
  forwarded.on("error", drop);
  incoming.on("error", drop);
  outgoing.on("close", () => forwarded.destroy());
  forwarded.on("response", (answer) => {
    if (spoiled === "lost") {
      answer.resume().on("end", () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.on("data", (bytes: Buffer) => {
    if (spoiled === "cut") return drop();
    if (spoiled === "changed") bytes[0] = (bytes[0] ?? 0) ^ 1;
    if (!forwarded.write(bytes)) {
      incoming.pause();
      forwarded.once("drain", () => incoming.resume());
    }
  });
  incoming.on("end", () => forwarded.end());
}
