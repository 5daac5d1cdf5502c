// Connections that stay open between requests: when one is used again, and when it is closed. Over real sockets.
import { once } from "node:events";
import http, { type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AttemptConnection, KeptConnections } from "../../../../provider/base/http/attemptConnection.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

let server: Server;
let url: string;
/** The connections that the server ever had, the first one first. */
let sockets: Socket[];
let kept: KeptConnections;

beforeEach(async () => {
  sockets = [];
  server = http
    .createServer({ keepAliveTimeout: 0 }, (_, response) => response.end("answered"))
    .on("connection", (socket: Socket) => sockets.push(socket))
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  kept = new KeptConnections(url, new VirtualClock());
});

afterEach(() => {
  kept.close();
  server.closeAllConnections();
  server.close();
});

/** Sends a request, and reads its answer to the end. */
async function ask({ agent }: AttemptConnection): Promise<void> {
  const [answer] = (await once(http.get(url, { agent }), "response")) as [IncomingMessage];
  expect(Buffer.concat(await answer.toArray()).toString()).toBe("answered");
}

/** Sends a request as those do that use the connections. */
async function request(isReusable = true): Promise<void> {
  const connection = kept.take();
  await ask(connection);
  kept.give(connection, isReusable);
}

/** Waits until a connection is closed: the server's first one is 0. */
async function closed(number: number): Promise<void> {
  const socket = sockets[number];
  if (socket && !socket.destroyed) await once(socket, "close");
}

/** How many connections the server has. */
const open = (): number => sockets.filter(({ destroyed }) => !destroyed).length;

test("requests one after the other share a connection", async () => {
  for (let count = 0; count < 3; count++) await request();
  expect(sockets).toHaveLength(1);
  expect(open()).toBe(1);
});

test("requests at the same time have a connection each, which later ones use", async () => {
  await Promise.all([request(), request()]);
  await Promise.all([request(), request()]);
  expect(sockets).toHaveLength(2);
});

test("a connection that cannot be used again is closed, and the next request opens another", async () => {
  await request(false);
  await closed(0);
  await request();
  expect(sockets).toHaveLength(2);
});

test("at the end every connection is closed: those that wait at once, and those in use when they are given back", async () => {
  const inUse = kept.take();
  await ask(inUse);
  await request();
  expect(open()).toBe(2);
  kept.close();
  await closed(1);
  expect(open()).toBe(1);
  kept.give(inUse, true);
  await closed(0);
});

test("a request that is still sent after the end has a connection of its own, which is closed after it", async () => {
  await request();
  kept.close();
  await request();
  expect(sockets).toHaveLength(2);
  await closed(1);
});
