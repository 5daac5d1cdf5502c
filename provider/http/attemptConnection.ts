import http, { type Agent } from "node:http";
import https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import tls from "node:tls";
import type { Clock } from "../runtime/time/clock";

/** Time limit for connecting (through the proxy, with TLS), in milliseconds. */
const CONNECT_LIMIT_MS = 10_000;

export interface ConnectionOptions {
  readonly proxy?: URL | undefined;
  /** Resolves the host, unless a proxy does. @default the machine's resolver */
  readonly lookup?: LookupFunction | undefined;
  /** Certificate authorities in PEM, trusted instead of Node.js's own. */
  readonly authorities?: string[] | undefined;
}

/** An error with a code: node-fetch passes on only the code. */
const failure = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * The connection of one attempt, and its state when the attempt fails: before it is ready, no part of a request is sent. It is
 * never reused: a service may close a kept connection just as the next request is sent, and then it is unknown whether the
 * service received that request.
 */
export class AttemptConnection {
  /** `unused` until the request needs the connection. */
  state: "unused" | "connecting" | "ready" = "unused";
  /** Status with which the proxy refused to connect. */
  refusedByProxy: number | undefined;
  readonly agent: Agent;
  /** Host and port of the proxy. */
  readonly proxyHost: string | undefined;
  /** The pending socket or proxy request. */
  #pending: { destroy(error?: Error): unknown } | undefined;
  #stopLimit = (): void => undefined;

  constructor(url: string, clock: Clock, { proxy, lookup, authorities }: ConnectionOptions = {}) {
    const secure = url.startsWith("https:");
    // set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise disable the check
    const agent = secure ? new https.Agent({ rejectUnauthorized: true, ca: authorities }) : new http.Agent();
    const createSocket = agent.createConnection.bind(agent);
    this.agent = agent;
    this.proxyHost = proxy?.host;
    agent.createConnection = (options, callback) => {
      this.state = "connecting";
      this.#stopLimit = clock.after(CONNECT_LIMIT_MS, () =>
        this.#pending?.destroy(failure("not connected in time")),
      );
      if (proxy === undefined)
        return this.#watch(createSocket({ ...options, ...(lookup && { lookup }) }) as Socket, secure);
      this.#openTunnel(proxy, new URL(url), (error, socket) => {
        if (socket)
          callback?.(null, this.#watch(tls.connect({ ...options, socket } as tls.ConnectionOptions), true));
        else callback?.(error, undefined as never);
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
    const credentials = [proxy.username, proxy.password].map(decoded).join(":");
    const secure = proxy.protocol === "https:";
    const request = (secure ? https : http).request({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a bare «%»
  }
}
