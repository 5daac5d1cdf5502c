import http, { type Agent } from "node:http";
import https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import tls from "node:tls";
import type { Clock } from "../time/clock";

/** Longest time until a connection is made (through its proxy, with TLS), in milliseconds. */
const CONNECT_LIMIT_MS = 10_000;

/** How a connection is made. */
export interface ConnectionOptions {
  readonly proxy?: URL | undefined;
  /** Finds the address that is connected to, where no proxy does. @default the machine's own */
  readonly lookup?: LookupFunction | undefined;
  /** In PEM: trusted in the place of those that Node.js trusts by itself. */
  readonly authorities?: string[] | undefined;
}

/** What node-fetch shows of an error that is thrown here: its code. */
const failure = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * The connection of one attempt, and what is known of it when the attempt fails: before it is ready, nothing of a request
 * is sent. It is never used twice: a service may close a connection that is kept just as the next request is sent, and
 * nobody could say whether that was still seen.
 */
export class AttemptConnection {
  /** `unused` as long as nobody asked for it. */
  state: "unused" | "connecting" | "ready" = "unused";
  /** With which status the proxy refused to connect. */
  refusedByProxy: number | undefined;
  readonly agent: Agent;
  /** Host and port of the proxy. */
  readonly proxyHost: string | undefined;
  /** What is being done to connect. */
  #pending: { destroy(error?: Error): unknown } | undefined;
  #stopLimit = (): void => undefined;

  constructor(url: string, clock: Clock, { proxy, lookup, authorities }: ConnectionOptions = {}) {
    const secure = url.startsWith("https:");
    // said here because NODE_TLS_REJECT_UNAUTHORIZED would else switch the check off
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

  /** Ends whatever is still under way. */
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
   * Asks the proxy to pass on bytes to the service and back, see RFC 9110 §9.3.6: it sees the service's host and no more.
   *
   * Ours because of what libraries do, which the tests of proxies show: https-proxy-agent (9.1) checks the certificate of a
   * service that is known by its address against the name of the proxy, and reads the proxy's headers without a limit;
   * hpagent (1.2) cannot use IPv6 addresses.
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
