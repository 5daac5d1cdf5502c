import http, { type Agent } from "node:http";
import https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { unescape } from "node:querystring";
import tls from "node:tls";
import { ConnectionError } from "../runtime/messages/errors";
import type { Clock } from "../runtime/time/clock";
import type { Endpoint } from "./endpoint";
import { malformed } from "./reply";
import type { FailedAttempt, Fault } from "./retryPolicy";

/** Time limit for connecting (through the proxy, with TLS), in milliseconds. */
const CONNECT_LIMIT_MS = 10_000;

export interface ConnectionOptions {
  readonly proxy?: URL | undefined;
  /** Resolves the host, unless a proxy does. @default the machine's resolver */
  readonly lookup?: LookupFunction | undefined;
  /** Certificate authorities in PEM, trusted instead of Node.js's own. */
  readonly authorities?: string[] | undefined;
  /** Keeps the connection after a reply, for one request after the other. @default false */
  readonly keepAlive?: boolean;
}

/** An error with a code: node-fetch passes on only the code. */
const failure = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * The connection of one attempt, and its state when the attempt fails: before it is ready, no part of a request is sent. It is
 * not reused, unless its agent keeps it ({@link KeptConnections}): a service may close a kept connection just as the next request is sent,
 * and then it is unknown whether the service received that request.
 */
export class AttemptConnection {
  /** `unused` until the request needs the connection. */
  state: "unused" | "connecting" | "ready" = "unused";
  /** Whether the server began to speak HTTP/2, which it does at once. */
  speaksHttp2 = false;
  /** Status with which the proxy refused to connect. */
  refusedByProxy: number | undefined;
  readonly agent: Agent;
  /** Host and port of the proxy. */
  readonly proxyHost: string | undefined;
  /** The pending socket or proxy request. */
  #pending: { destroy(error?: Error): unknown } | undefined;
  #stopLimit = (): void => undefined;

  constructor(url: string, clock: Clock, options: ConnectionOptions = {}) {
    const { proxy, lookup, authorities, keepAlive = false } = options;
    const secure = url.startsWith("https:");
    // set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise disable the check
    const agent = secure
      ? new https.Agent({ keepAlive, rejectUnauthorized: true, ca: authorities })
      : new http.Agent({ keepAlive });
    const createSocket = agent.createConnection.bind(agent);
    this.agent = agent;
    this.proxyHost = proxy?.host;
    agent.createConnection = (options, callback) => {
      this.state = "connecting";
      this.#stopLimit = clock.after(CONNECT_LIMIT_MS, () =>
        this.#pending?.destroy(failure("not connected in time")),
      );
      if (proxy === undefined) {
        return this.#watch(createSocket({ ...options, ...(lookup && { lookup }) }) as Socket, secure);
      }
      this.#openTunnel(proxy, new URL(url), (error, socket) => {
        if (socket) {
          callback?.(null, this.#watch(tls.connect({ ...options, socket } as tls.ConnectionOptions), true));
        } else callback?.(error, undefined as never);
      });
      return undefined;
    };
  }

  /** Closes the connection and stops connecting. */
  close(): void {
    this.#stopLimit();
    this.#pending?.destroy();
  }

  #watch(socket: Socket, secure: boolean): Socket {
    this.#pending = socket;
    socket.once(secure ? "secureConnect" : "connect", () => {
      this.state = "ready";
      this.#stopLimit();
      socket.once("data", (bytes: Buffer) => (this.speaksHttp2 = isHttp2(bytes)));
    });
    return socket;
  }

  /**
   * Asks the proxy for a tunnel to the service, see RFC 9110 §9.3.6. The proxy sees only the service's host.
   *
   * This is our own code because the libraries fail the tests of proxies. https-proxy-agent (9.1) checks the certificate of a
   * service with an IP address against the proxy's name, and reads the proxy's headers without a limit. hpagent (1.2) does not
   * support IPv6 addresses.
   */
  #openTunnel(proxy: URL, service: URL, done: (error: Error | null, socket?: Socket) => void): void {
    const target = `${service.hostname}:${service.port || "443"}`;
    const credentials = `${unescape(proxy.username)}:${unescape(proxy.password)}`; // a bare «%» stays
    const secure = proxy.protocol === "https:";
    const request = (secure ? https : http).request({
      host: proxy.hostname.replace(/[[\]]/g, ""), // an IPv6 address is in brackets
      port: proxy.port || (secure ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        ...(credentials !== ":" && {
          "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}`,
        }),
      },
      agent: false,
      ...(secure && { rejectUnauthorized: true }),
    });
    this.#pending = request;
    request.once("connect", ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return done(null, socket);
      this.refusedByProxy = statusCode;
      socket.destroy();
      done(failure("refused by the proxy"));
    });
    request.on("error", (error) => done(error));
    request.end();
  }
}

/**
 * Connections to one server that stay open between requests: for many small requests that may all be repeated. A reply that was
 * not read to its end closes its connection.
 */
export class KeptConnections {
  readonly #open: () => AttemptConnection;
  #idle: AttemptConnection[] = [];
  #isClosed = false;

  constructor(url: string, clock: Clock, options: ConnectionOptions = {}) {
    this.#open = () => new AttemptConnection(url, clock, { ...options, keepAlive: true });
  }

  take(): AttemptConnection {
    return this.#idle.pop() ?? this.#open();
  }

  /** @param isReusable whether the reply was read to its end */
  give(connection: AttemptConnection, isReusable: boolean): void {
    if (isReusable && !this.#isClosed) this.#idle.push(connection);
    else connection.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
  }
}

/** The frame that begins a connection of HTTP/2: SETTINGS, on the stream 0, see RFC 9113 §3.4. */
function isHttp2(bytes: Buffer): boolean {
  return bytes.length >= 9 && bytes[3] === 4 && bytes[4] === 0 && bytes.readUInt32BE(5) === 0;
}

/** Error codes of Node.js that mean that no connection was made. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
]);

/**
 * The failure of an attempt without a complete reply.
 *
 * @param error node-fetch's error; its text is not shown because it may contain anything
 */
export function connectionFailure(
  endpoint: Endpoint,
  error: unknown,
  { state, proxyHost, refusedByProxy, speaksHttp2 }: AttemptConnection,
): FailedAttempt {
  const { name, code: rawCode } = error as { name?: string; code?: string };
  const code = name === "AbortError" ? "no answer in time" : (rawCode ?? "connection failed");
  // until the connection is ready, the proxy may be the cause
  const proxy = state === "connecting" ? proxyHost : undefined;
  const through = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  const lost = (fault: Fault, message: string, remedy: string): FailedAttempt => ({
    fault,
    error: new ConnectionError(message, remedy),
  });
  const unusable = (kind: "oversized" | "notHttp" | "malformed", what: string): FailedAttempt => ({
    fault: { kind },
    error: malformed(endpoint.name, what, "Check that the base URL is that of the service."),
  });

  if (refusedByProxy !== undefined) {
    return lost(
      { kind: "refusedByProxy", status: refusedByProxy },
      `the proxy ${proxyHost ?? ""} refused to connect to ${endpoint.host} (status ${refusedByProxy})`,
      proxyRemedy(refusedByProxy, new URL(endpoint.url).hostname),
    );
  }
  if (/CERT|ISSUER|SIGNATURE/.test(code) && !code.startsWith("ERR_SSL_")) {
    return lost(
      { kind: "untrusted", code },
      `the certificate of ${endpoint.host}${through} is not trusted (${code})`,
      "Fix the certificate, or make its authority known with NODE_EXTRA_CA_CERTS. The check cannot be switched off.",
    );
  }
  if (speaksHttp2 || code.endsWith("NO_APPLICATION_PROTOCOL")) {
    const error = malformed(endpoint.name, `with HTTP/2 (${code}): this package speaks HTTP/1.1`, ONLY_HTTP2);
    return { fault: { kind: "notHttp" }, error };
  }
  const unseen = state === "unused" ? UNREACHABLE.has(code) : state === "connecting";
  if (!unseen) {
    if (code === "HPE_HEADER_OVERFLOW") return unusable("oversized", "headers that are too large");
    if (code.startsWith("HPE_")) return unusable("notHttp", `with unusable HTTP (${code})`);
    if (code.startsWith("Z_")) {
      return unusable("malformed", `with a body that cannot be decompressed (${code})`);
    }
  }
  return lost(
    { kind: unseen ? "unreachable" : "interrupted", code },
    code === "ENOTFOUND"
      ? `host not found: ${proxy ?? endpoint.host}`
      : `${endpoint.name} failed${through} (${code})`,
    unconnectedRemedy(code, endpoint, proxy),
  );
}

/** The remedy for a host that speaks only HTTP/2. */
export const ONLY_HTTP2 =
  "The host accepts only HTTP/2: have its operator accept HTTP/1.1, too, at the server or at the load balancer or proxy before it.";

function unconnectedRemedy(code: string, { host, url }: Endpoint, proxy: string | undefined): string {
  if (proxy !== undefined) {
    return `Check HTTPS_PROXY (${proxy}), that this is a proxy and up, and the network. ${excepted(new URL(url).hostname)}`;
  }
  return code === "ECONNREFUSED"
    ? `Is the service started? Nothing listens at ${host}: check that address, too.`
    : "Check the network, the base URL, and that the service is up.";
}

const excepted = (host: string): string => `If ${host} is reached without the proxy, name it in NO_PROXY.`;

/** @param status with which the proxy answered the request for a tunnel (CONNECT) */
function proxyRemedy(status: number, host: string): string {
  if (status === 407) {
    return `The proxy wants a login: write HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT. ${excepted(host)}`;
  }
  if (status === 405 || status === 501) {
    return `Check HTTPS_PROXY: what answers there opens no tunnel (CONNECT), so it is no proxy for https. ${excepted(host)}`;
  }
  return "Check HTTPS_PROXY, or name the service's host in NO_PROXY if it is reached without the proxy.";
}
