import { createServer, type AddressInfo, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import type { Identity } from "./certificates.ts";

/** A request as it came in. */
export interface RawRequest {
  method: string;
  path: string;
  /** In lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Does to the connection what it likes. */
export type Answer = (socket: Socket, request: RawRequest, number: number) => void;

export interface ScriptedServer {
  baseUrl: string;
  port: number;
  /** Every request that came in whole. */
  requests: RawRequest[];
  /** How many connections were made, whatever came of them. */
  connections: () => number;
}

/**
 * A TCP server that does with the bytes what it is told, on 127.0.0.1 until the test ends.
 *
 * @param onConnection gets each connection before anything is read from it; does what it likes with one by returning true
 */
export async function scriptedServer(
  answer: Answer,
  {
    port = 0,
    identity,
    onConnection = () => false,
  }: {
    port?: number;
    /** Speaks TLS. */
    identity?: Identity;
    onConnection?: (socket: Socket, number: number) => boolean;
  } = {},
): Promise<ScriptedServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((raw) => {
    sockets.add(raw);
    raw.on("error", () => undefined).once("close", () => sockets.delete(raw));
    if (onConnection(raw, ++connections)) return;
    const socket = identity ? new TLSSocket(raw, { isServer: true, ...identity }) : raw;
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const request = wholeRequest(text);
      if (!request) return;
      text = "";
      answer(socket, request, requests.push(request));
    });
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const at = (server.address() as AddressInfo).port;
  const scheme = identity ? "https" : "http";
  return {
    baseUrl: `${scheme}://127.0.0.1:${at}`,
    port: at,
    requests,
    connections: () => connections,
  };
}

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function wholeRequest(text: string): RawRequest | undefined {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const [method = "", path = ""] = line.split(" ");
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 2),
    ]),
  );
  if (rest.length === 0 || body.length < Number(headers["content-length"] ?? 0)) return undefined;
  return { method, path, headers, body };
}
