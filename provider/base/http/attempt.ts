import { Readable } from "node:stream";
import type { RequestInit, Response } from "node-fetch";
import type { Reporter } from "../runtime/messages/reporter";
import type { Secrets } from "../runtime/messages/secrets";
import type { Clock, Deadline } from "../runtime/time/clock";
import { parseHttpDate } from "../runtime/time/pointInTime";
import {
  AttemptConnection,
  connectionFailure,
  type ConnectionOptions,
  type KeptConnections,
} from "./attemptConnection";
import { bodyReader } from "./bodyStream";
import type { Endpoint } from "./endpoint";
import { decodeText, malformed, MAX_BODY_BYTES } from "./reply";
import { type FailedAttempt, parseRetryAfter } from "./retryPolicy";

/** The used part of node-fetch's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The parts that all requests of an operation share. */
export interface NetworkContext {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Secret values that the operation has read: credentials, tokens, parts of links. The code that reads such a value adds it. */
  readonly secrets: Secrets;
  /** Aborts when the user stops the operation; its reason is a `RunCancelledError`. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | AsyncIterable<Uint8Array> | undefined;
  /** Do not decompress the reply. @default false */
  readonly isRaw?: boolean;
}

export interface AttemptOptions extends ConnectionOptions {
  /** Longest time without any transferred byte of request or reply, in milliseconds. */
  readonly silenceMs: number;
  /** How long to wait for the reply after the signal has aborted, in milliseconds. @default 0 */
  readonly graceMs?: number;
  /** Where the connection comes from, and stays. @default a new connection */
  readonly kept?: KeptConnections;
}

/** A reply whose head has arrived. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Response["headers"];
  /** The content, piece by piece. Each piece restarts the silence limit. */
  content(): AsyncIterable<Uint8Array>;
  /** The content if it has at most `limitBytes`; otherwise a longer beginning. It must arrive within a single silence limit. */
  beginning(limitBytes: number): Promise<Buffer>;
}

/** The connection failed while a reply was awaited or read; the cause is node-fetch's. */
export class Interruption extends Error {
  constructor(cause: unknown) {
    super("interrupted", { cause });
  }
}

const interrupted = (error: unknown): never => {
  throw new Interruption(error);
};

/**
 * Sends a request once, over a new connection unless the options have kept ones, and lets `read` read the reply. It does not follow
 * redirects: only the caller
 * decides to which host a credential is sent.
 *
 * @throws the error of `read`; the signal's reason
 */
export async function attempt<T>(
  endpoint: Endpoint,
  { method, headers, body, isRaw = false }: HttpRequest,
  { fetch, clock, signal, deadline }: NetworkContext,
  { silenceMs, graceMs = 0, kept, ...ways }: AttemptOptions,
  read: (reply: HttpReply) => Promise<T>,
): Promise<{ value: T } | FailedAttempt> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const cancel = (): void => limit.abort();
  let stopGrace = (): void => undefined;
  let stopSilence = (): void => undefined;
  const moved = (): void => {
    stopSilence();
    stopSilence = clock.after(silenceMs, cancel);
  };
  const onAbort = (): void => {
    if (graceMs > 0) stopGrace = clock.after(graceMs, cancel);
    else cancel();
  };
  signal.addEventListener("abort", onAbort);
  const stopDeadline = clock.after(deadline.remainingMs(), cancel);
  const connection = kept?.take() ?? new AttemptConnection(endpoint.url, clock, ways);
  const done = { isSent: body === undefined, isRead: false };
  try {
    moved();
    const isWhole = typeof body === "string" || Buffer.isBuffer(body);
    const response = await fetch(endpoint.url, {
      method,
      headers: { "user-agent": "pulumi-docs-hosting", ...headers },
      ...(body !== undefined && { body: isWhole ? body : Readable.from(watched(body, moved), BYTES) }),
      compress: !isRaw,
      redirect: "manual",
      signal: limit.signal,
      agent: connection.agent,
    }).catch(interrupted);
    done.isSent ||= response.status < 400; // a refusal may come before the end of the body
    const take = response.body ? bodyReader(response.body) : undefined;
    const next = async (): Promise<readonly Uint8Array[] | undefined> => {
      const pieces = await take?.().catch(interrupted);
      done.isRead ||= pieces === undefined;
      return pieces;
    };
    const value = await read({
      status: response.status,
      headers: response.headers,
      async *content() {
        for (;;) {
          moved();
          const pieces = await next();
          stopSilence(); // the consumer may need time
          if (!pieces) return;
          yield* pieces;
        }
      },
      async beginning(limitBytes) {
        const whole: Uint8Array[] = [];
        let size = 0;
        for (let pieces; size <= limitBytes && (pieces = await next());) {
          whole.push(...pieces);
          size += pieces.reduce((sum, { length }) => sum + length, 0);
        }
        return Buffer.concat(whole);
      },
    });
    return { value };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Interruption)) throw error;
    return connectionFailure(endpoint, error.cause, connection);
  } finally {
    stopSilence();
    stopGrace();
    stopDeadline();
    signal.removeEventListener("abort", onAbort);
    if (kept) kept.give(connection, done.isRead && done.isSent);
    else connection.close();
  }
}

const BYTES = { objectMode: false };

async function* watched(content: AsyncIterable<Uint8Array>, moved: () => void): AsyncIterable<Uint8Array> {
  for await (const piece of content) {
    moved();
    yield piece;
  }
}

/** A complete reply of the service, with any status. */
export interface ReadReply {
  readonly status: number;
  /** `undefined` when it is not UTF-8. */
  readonly text: string | undefined;
  /** Its `X-Request-Id` header; empty when there is none. */
  readonly requestId: string;
  readonly contentType: string | null;
  readonly hasLocation: boolean;
  /** By its `Date` header: milliseconds since 1970. */
  readonly sentAtMs: number | undefined;
  /** The pause that it requests (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** Reads a reply to its end. */
export async function readReply(
  { name }: Endpoint,
  reply: HttpReply,
  clock: Clock,
): Promise<ReadReply | FailedAttempt> {
  const { status, headers } = reply;
  const bytes = await reply.beginning(MAX_BODY_BYTES);
  if (bytes.length > MAX_BODY_BYTES) {
    const remedy = "Check that the base URL is that of the service.";
    const error = malformed(name, `more than ${MAX_BODY_BYTES / 1024} KiB`, remedy);
    const failed: FailedAttempt = { fault: { kind: "oversized" }, error };
    return failed;
  }
  const sentAtMs = parseHttpDate(headers.get("date") ?? "", clock.now());
  return {
    status,
    text: decodeText(bytes),
    requestId: headers.get("x-request-id") ?? "",
    contentType: headers.get("content-type"),
    hasLocation: headers.get("location") !== null,
    sentAtMs,
    retryAfterMs: parseRetryAfter(headers.get("retry-after"), sentAtMs ?? clock.now()),
  };
}
