import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import type { Identity } from "./certificates.ts";

/** A request as it was received. */
export interface RawRequest {
  method: string;
  path: string;
  /** In lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Handles the connection of the only request after it has arrived. */
export type Answer = (socket: Socket, request: RawRequest, number: number) => void;

export interface ScriptedServer {
  baseUrl: string;
  port: number;
  /** Every request that arrived whole. */
  requests: RawRequest[];
  /** The number of connections, with any outcome. */
  connections: () => number;
}

/** The addresses of a server. */
export interface Address {
  host: string;
  port: number;
}

/**
 * A TCP server with scripted replies, until the test ends; by default on 127.0.0.1 and a port of its own.
 *
 * @param onConnection gets each connection before anything is read from it; returns true when it handles the connection itself
 */
export async function scriptedServer(
  answer: Answer,
  {
    address = { host: "127.0.0.1", port: 0 },
    identity,
    onConnection = () => false,
  }: {
    address?: Address;
    /** Uses TLS. */
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
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const request = wholeRequest(text);
      if (!request) return;
      socket.off("data", read);
      answer(socket, request, requests.push(request));
    };
    socket.on("data", read);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await listening(server, address);
  const { port } = server.address() as AddressInfo;
  const scheme = identity ? "https" : "http";
  return {
    baseUrl: `${scheme}://${address.host}:${port}`,
    port,
    requests,
    connections: () => connections,
  };
}

/**
 * An address without a listener, now and until the caller listens: other tests use other addresses meanwhile. All of 127.0.0.0/8
 * is this machine.
 */
export async function freeAddress(): Promise<Address> {
  const [high, middle, low] = [process.pid >> 16, (process.pid >> 8) & 0xff, process.pid & 0xff];
  const host = `127.${100 + high}.${middle}.${low}`;
  const server = createServer();
  await listening(server, { host, port: 0 });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { host, port };
}

function listening(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
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
