import { Readable } from "node:stream";
import type { Response } from "node-fetch";
import { AttemptConnection } from "../http/attemptConnection";
import { connectionFailure } from "../http/connectionFailure";
import type { FailedAttempt } from "../http/failedAttempt";
import { proxyFor } from "../http/proxy";
import type { Clock } from "../time/clock";
import { DocsHostingError } from "../words/errors";
import { authoritiesFor } from "./authorities";
import type { RegistryContext } from "./context";

/** One request, over a connection of its own. */
export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Made anew for each attempt. */
  readonly body?: () => AsyncIterable<Uint8Array> | Buffer;
}

/** An answer whose body is not read yet. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Response["headers"];
  /** Its content, piece by piece; each piece shows that the connection is alive. */
  content(): AsyncIterable<Uint8Array>;
}

/** How long nothing may move, in milliseconds: a registry may look at what it got for long before it answers. */
const SILENCE_LIMIT_MS = 2 * 60_000;

/**
 * Sends a request once, and has its answer read.
 *
 * @throws what `read` throws of our own errors; ConfigurationError for a proxy that is no address; the signal's reason
 */
export async function exchange<T>(
  request: HttpRequest,
  context: RegistryContext,
  read: (reply: HttpReply) => Promise<T>,
): Promise<{ value: T } | FailedAttempt> {
  const { method, url } = request;
  const { fetch, clock, signal, deadline, environment } = context;
  const proxy = proxyFor(url.href, environment);
  const authorities = await authoritiesFor(url.host, environment);
  const limit = new AbortController();
  const cancel = (): void => limit.abort();
  signal.addEventListener("abort", cancel, { once: true });
  const stopDeadline = clock.after(deadline.remainingMs(), cancel);
  const life = watchLife(clock, cancel);
  const connection = new AttemptConnection(url.href, proxy, clock, { authorities });
  try {
    signal.throwIfAborted();
    const body = request.body?.();
    const response = await fetch(url.href, {
      method,
      headers: { "user-agent": "pulumi-docs-hosting", "accept-encoding": "identity", ...request.headers },
      ...(body !== undefined && {
        body: Buffer.isBuffer(body) ? body : Readable.from(lively(body, life.seen), { objectMode: false }),
      }),
      redirect: "manual", // where a credential may go is decided by who sends it
      signal: limit.signal,
      agent: connection.agent,
    });
    life.seen();
    const value = await read({
      status: response.status,
      headers: response.headers,
      content: () => lively((response.body ?? []) as AsyncIterable<Uint8Array>, life.seen),
    });
    return { value };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DocsHostingError) throw error;
    // without its query, which may be a credential
    const name = `${method} ${url.origin}${url.pathname}`;
    return connectionFailure({ url: url.href, host: url.host, name }, error, connection);
  } finally {
    stopDeadline();
    life.stop();
    signal.removeEventListener("abort", cancel);
    connection.close();
  }
}

/** Calls `cancel` when nothing was seen for too long. */
function watchLife(clock: Clock, cancel: () => void): { seen: () => void; stop: () => void } {
  let lastMs = clock.monotonic();
  let stop: () => void;
  const wait = (delayMs: number): void => {
    stop = clock.after(delayMs, () => {
      const leftMs = lastMs + SILENCE_LIMIT_MS - clock.monotonic();
      if (leftMs > 0) wait(leftMs);
      else cancel();
    });
  };
  wait(SILENCE_LIMIT_MS);
  return {
    seen: () => {
      lastMs = clock.monotonic();
    },
    stop: () => {
      stop();
    },
  };
}

async function* lively(content: AsyncIterable<Uint8Array>, seen: () => void): AsyncIterable<Uint8Array> {
  for await (const chunk of content) {
    seen();
    yield chunk;
  }
}
