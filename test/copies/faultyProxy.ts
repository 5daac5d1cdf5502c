import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "vitest";
import { Traffic } from "./traffic.ts";

/** A request that passes the proxy. */
export interface Passing {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/** What the proxy does with a request instead of passing it on. */
export type Spoiling =
  | { readonly answer: { status: number; headers?: Record<string, string>; body?: string } }
  /** The connection is cut after this number of bytes of the request's body. */
  | { readonly cutAfter: number }
  /** The registry gets it, and its answer is lost. */
  | { readonly loseAnswer: true }
  /** The registry's answer is changed. */
  | {
      readonly change: Change;
    };

/** What the proxy does with an answer; with `cut`, the connection ends after the body. */
type Change = (answer: { headers: Record<string, unknown>; body: Buffer }) => {
  headers?: Record<string, string>;
  body?: Buffer;
  cut?: boolean;
};

/** A proxy that passes requests on to a registry, with faults. */
export interface FaultyProxy {
  readonly host: string;
  readonly passed: Passing[];
  /** Bytes of received bodies. */
  readonly received: () => number;
  readonly traffic: Traffic;
}

/** Until the test ends. */
export async function startFaultyProxy(
  context: Pick<TestContext, "onTestFinished">,
  registry: string,
  spoil: (request: Passing) => Spoiling | undefined,
): Promise<FaultyProxy> {
  const passed: Passing[] = [];
  let bytes = 0;
  const traffic = new Traffic();
  const server = createServer((request, response) => {
    const passing = {
      method: request.method ?? "",
      path: request.url ?? "",
      authorization: request.headers.authorization,
    };
    passed.push(passing);
    traffic.passed({ requests: 1 });
    const spoiling = spoil(passing);
    request.on("data", ({ length }: Buffer) => {
      bytes += length;
      traffic.passed({ bytes: length });
    });
    request.on("error", () => undefined);
    if (spoiling && "answer" in spoiling) {
      request.resume();
      const { status, headers, body } = spoiling.answer;
      request.on("end", () => response.writeHead(status, headers).end(body));
      return;
    }
    pass(registry, request, response, spoiling ?? {}, traffic);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, passed, received: () => bytes, traffic };
}

function pass(
  registry: string,
  request: IncomingMessage,
  response: ServerResponse,
  { cutAfter, loseAnswer, change }: { cutAfter?: number; loseAnswer?: boolean; change?: Change },
  traffic: Traffic,
): void {
  const onward = httpRequest(`http://${registry}${request.url ?? ""}`, {
    method: request.method,
    headers: request.headers, // the host, too: so the registry names addresses at this proxy
    agent: false,
  });
  onward.on("error", () => response.destroy());
  onward.on("response", (answer) => {
    if (loseAnswer) {
      answer.resume();
      answer.on("end", () => response.destroy());
      return;
    }
    if (!change) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", ({ length }: Buffer) => traffic.passed({ bytes: length }));
      answer.pipe(response);
      return;
    }
    void buffer(answer).then((body) => {
      const changed = change({ headers: answer.headers, body });
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...changed.headers });
      if (changed.cut) response.write(changed.body ?? body, () => response.destroy());
      else response.end(changed.body ?? body);
    });
  });
  let seen = 0;
  request.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (cutAfter !== undefined && seen >= cutAfter) {
      onward.destroy();
      request.destroy();
    }
  });
  request.on("close", () => {
    if (!request.complete) onward.destroy();
  });
  request.pipe(onward);
}
