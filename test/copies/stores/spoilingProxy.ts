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

/** How the store says that it is too busy, and that the credentials lack a right. */
export type Answers = Readonly<
  Record<
    "slowDown" | "denied",
    { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  >
>;

/** What differs from protocol to protocol. */
interface Protocol {
  /** The key of the object whose content a request sends. @default that of a PUT */
  readonly sent?: (request: SeenRequest) => string | undefined;
  /** Where in the first bytes of a body its content begins; undefined if it has none. @default 0 */
  readonly contentAt?: (bytes: Buffer) => number | undefined;
  /** Answers in place of the store where that differs from the protocol. @returns whether it answered */
  readonly answer?: (request: SeenRequest, outgoing: ServerResponse) => boolean;
  /** Sees the store's answers, also those that are lost. */
  readonly answered?: (request: SeenRequest, answer: IncomingMessage) => void;
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
  answers: Answers,
  host = "127.0.0.1",
  protocol: Protocol = {},
): Promise<Spoiling> {
  const { sent = keyOfPut } = protocol;
  const requests: SeenRequest[] = [];
  const traffic = new Traffic();
  const seam: Pick<BucketStore, "spoil"> = { spoil: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "", "http://store");
    const request: SeenRequest = {
      method: incoming.method ?? "",
      key: decodeURIComponent(url.pathname).slice(root.length),
      query: url.searchParams,
      headers: incoming.headers,
    };
    const seen = { ...request, sent: sent(request) };
    requests.push(seen);
    traffic.passed({ requests: 1 });
    incoming.on("data", ({ length }: Buffer) => traffic.passed({ bytes: length }));
    if (protocol.answer?.(seen, outgoing)) return;
    const spoiled = seam.spoil(seen);
    if (spoiled === "slowDown" || spoiled === "denied") {
      incoming.resume();
      const { status, headers, body } = answers[spoiled];
      outgoing.writeHead(status, headers).end(body);
      return;
    }
    pass(incoming, outgoing, target, spoiled, protocol.contentAt, (answer) =>
      protocol.answered?.(seen, answer),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, host, resolve));
  context.onTestFinished(() => proxy.close().closeAllConnections());
  const origin = `http://${host}:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(seam, { origin, requests, traffic });
}

const keyOfPut = ({ method, key }: SeenRequest): string | undefined => (method === "PUT" ? key : undefined);

/** Passes a request on. */
export function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: Target,
  spoiled: Spoiled,
  contentAt: Protocol["contentAt"] = () => 0,
  answered?: (answer: IncomingMessage) => void,
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
    answered?.(answer);
    if (spoiled === "lost") {
      answer.resume().on("end", () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.on("data", (bytes: Buffer) => {
    if (spoiled === "cut") return drop();
    const at = spoiled === "changed" ? contentAt(bytes) : undefined;
    if (at !== undefined) bytes[at] = (bytes[at] ?? 0) ^ 1;
    if (!forwarded.write(bytes)) {
      incoming.pause();
      forwarded.once("drain", () => incoming.resume());
    }
  });
  incoming.on("end", () => forwarded.end());
}
