// The connection of one attempt: how far it came, what ends it, and what a proxy is told. Over real sockets, with a clock that stands.
import { once } from "node:events";
import type https from "node:https";
import { type LookupFunction, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  AttemptConnection,
  type ConnectionOptions,
} from "../../../../provider/base/http/attemptConnection.ts";
import {
  authorityCertificate,
  identity,
  SERVICE_HOST,
  trustAuthority,
} from "../../../faults/certificates.ts";
import { connectProxy } from "../../../faults/connectProxy.ts";
import { scriptedServer } from "../../../faults/scriptedServer.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock();
});

interface Opened {
  readonly connection: AttemptConnection;
  /** The socket; another one that is never used, if a proxy opens it. */
  readonly socket: Socket;
  /** The socket in the tunnel that a proxy opened. */
  readonly tunnel: Promise<TLSSocket>;
  /** The code of the error with which opening it failed. */
  readonly failed: Promise<string | undefined>;
}

/** Opens the connection as Node.js's client does. */
function open(url: string, options: ConnectionOptions = {}): Opened {
  const connection = new AttemptConnection(url, clock, options);
  const agent = connection.agent as AttemptConnection["agent"] & { options: https.AgentOptions };
  onTestFinished(() => connection.close());
  expect(connection.state).toBe("unused");
  const { hostname: host, port } = new URL(url);
  let socket = new Socket();
  const { promise: tunnel, resolve: found } = Promise.withResolvers<TLSSocket>();
  const failed = new Promise<string | undefined>((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, inTunnel?: unknown): void => {
      if (inTunnel instanceof TLSSocket) found(inTunnel);
      else resolve(error?.code);
    };
    const opened = agent.createConnection({ ...agent.options, host, port: Number(port) }, done);
    if (opened instanceof Socket) socket = opened.on("error", done);
  });
  return { connection, socket, tunnel, failed };
}

const silentServer = (): ReturnType<typeof scriptedServer> =>
  scriptedServer(() => undefined, { onConnection: () => true });

test("a connection that was made within ten seconds is then used for as long as an attempt takes", async () => {
  const { connection, socket } = open((await silentServer()).baseUrl);
  expect(connection.state).toBe("connecting");
  clock.advance(9_999);
  await once(socket, "connect");
  expect(connection.state).toBe("ready");
  expect(clock.pending).toBe(0);
  clock.advance(60_000);
  expect(socket.destroyed).toBe(false);
});

test("a connection that is closed while it is being made leaves no socket and no timer", async () => {
  const { connection, socket } = open((await silentServer()).baseUrl);
  expect(clock.pending).toBe(1);
  connection.close();
  expect(socket.destroyed).toBe(true);
  expect(clock.pending).toBe(0);
});

test("a host is resolved by the given resolver", async () => {
  const { port } = await silentServer();
  const asked: string[] = [];
  const lookup: LookupFunction = (host, _options, callback) => {
    asked.push(host);
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  };
  const { connection, socket } = open(`http://a.example:${port}`, { lookup });
  await once(socket, "connect");
  expect(asked).toEqual(["a.example"]);
  expect(connection.state).toBe("ready");
});

test("only the given authorities are trusted, whichever Node.js trusts", async () => {
  const { baseUrl } = await scriptedServer(() => undefined, { identity: await identity() });
  const { connection, socket } = open(baseUrl, { authorities: [await authorityCertificate()] });
  await once(socket, "secureConnect");
  expect(connection.state).toBe("ready");
  await trustAuthority();
  const { cert: other } = await identity({ signed: false });
  const refused = open(baseUrl, { authorities: [other] });
  expect(await refused.failed).toBe("SELF_SIGNED_CERT_IN_CHAIN");
  expect(refused.connection.state).toBe("connecting");
});

test("a tunnel leads to port 443 unless the URL has another", async () => {
  const proxy = await scriptedServer((socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  for (const url of [`https://${SERVICE_HOST}`, `https://${SERVICE_HOST}:8443/admin`]) {
    await open(url, { proxy: new URL(proxy.baseUrl) }).failed;
  }
  expect(proxy.requests.map(({ method, path, headers }) => [method, path, headers["host"]])).toEqual([
    ["CONNECT", `${SERVICE_HOST}:443`, `${SERVICE_HOST}:443`],
    ["CONNECT", `${SERVICE_HOST}:8443`, `${SERVICE_HOST}:8443`],
  ]);
});

test.each([
  ["", undefined],
  ["me@", "me:"],
  [":secret@", ":secret"],
  ["m%40e:a%3Ab@", "m@e:a:b"],
])("the login «%s» is told to the proxy as %s", async (login, expected) => {
  const proxy = await scriptedServer((socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  await open(`https://${SERVICE_HOST}`, { proxy: new URL(`http://${login}127.0.0.1:${proxy.port}`) }).failed;
  const header = proxy.requests[0]?.headers["proxy-authorization"];
  expect(header).toBe(expected && `Basic ${Buffer.from(expected).toString("base64")}`);
});

test("a tunnel is ready when the service in it is connected with TLS, and is then used for as long as an attempt takes", async () => {
  const service = await scriptedServer(() => undefined, { identity: await identity() });
  const proxy = new URL((await connectProxy()).url);
  const { connection, tunnel } = open(`https://${SERVICE_HOST}:${service.port}`, {
    proxy,
    authorities: [await authorityCertificate()],
  });
  const socket = await tunnel;
  expect(connection.state).toBe("connecting");
  await once(socket, "secureConnect");
  expect(connection.state).toBe("ready");
  expect(clock.pending).toBe(0);
  clock.advance(60_000);
  expect(socket.destroyed).toBe(false);
});

test.each([199, 300, 502])(
  "with the status %i a proxy opens no tunnel, and its connection is closed",
  async (status) => {
    const left = Promise.withResolvers<unknown>();
    const proxy = await scriptedServer((socket) => {
      socket.once("close", left.resolve).write(`HTTP/1.1 ${status} Status\r\n\r\n`);
    });
    const { connection, failed } = open(`https://${SERVICE_HOST}`, { proxy: new URL(proxy.baseUrl) });
    expect(await failed).toBeDefined();
    expect(connection).toMatchObject({ state: "connecting", refusedByProxy: status });
    await left.promise;
  },
);
