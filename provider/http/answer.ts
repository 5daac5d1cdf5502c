import type { Clock } from "../runtime/time/clock";
import type { HttpReply } from "./attempt";
import { type FailedAttempt } from "./retryPolicy";
import { parseRetryAfter } from "./retryPolicy";
import { decodeText, malformed, MAX_BODY_BYTES } from "./reply";
import type { Endpoint } from "./endpoint";

/** A complete answer of the service, with any status. */
export interface Answer {
  readonly status: number;
  /** `undefined` when it is not UTF-8. */
  readonly text: string | undefined;
  readonly contentType: string | null;
  /** When it was sent, by its `Date` header: milliseconds since 1970. */
  readonly sentAtMs?: number | undefined;
  /** Its `X-Request-Id` header; empty when there is none. */
  readonly requestId: string;
  /** The pause that its `Retry-After` header requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Reads an answer to its end. */
export async function readAnswer(
  { name }: Endpoint,
  reply: HttpReply,
  clock: Clock,
): Promise<Answer | FailedAttempt> {
  const { status, headers } = reply;
  const bytes = await reply.beginning(MAX_BODY_BYTES);
  if (bytes.length > MAX_BODY_BYTES) {
    const remedy = "Check that the base URL is that of the service.";
    const error = malformed(name, `more than ${MAX_BODY_BYTES / 1024} KiB`, remedy);
    return { fault: { kind: "oversized" }, error };
  }
  const date = Date.parse(headers.get("date") ?? "");
  const sentAtMs = Number.isNaN(date) ? undefined : date;
  return {
    status,
    text: decodeText(bytes),
    requestId: headers.get("x-request-id") ?? "",
    contentType: headers.get("content-type"),
    sentAtMs,
    retryAfterMs: parseRetryAfter(headers.get("retry-after"), sentAtMs ?? clock.now()),
  };
}
