import type { HttpReply } from "../../../base/http/attempt";
import { QUOTE_LENGTH } from "../../../base/http/reply";
import {
  allowedRepeats,
  type FailedAttempt,
  type Fault,
  parseRetryAfter,
} from "../../../base/http/retryPolicy";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { redact } from "../../../base/runtime/messages/plainText";
import { parseJson } from "../../../base/runtime/values/json";
import { fieldsOf } from "./content";
import type { CredentialSearch } from "./credentials";
import type { RegistryRequest } from "./exchange";
import { remedyFor } from "./remedies";

/** How many bytes of an error reply are read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A reply with an unexpected status. */
export interface UnwantedReply extends Pick<HttpReply, "status" | "headers"> {
  /** The beginning of its body. */
  readonly text: string;
}

export async function readUnwanted(reply: HttpReply): Promise<UnwantedReply> {
  const { status, headers } = reply;
  return { status, headers, text: (await reply.beginning(MAX_ERROR_BYTES)).toString() };
}

/**
 * The failure of a request that the registry refused.
 *
 * @param host of the registry
 * @param search for the user's credential
 * @param nowMs wall-clock time in milliseconds since 1970
 */
export function refused(
  { method, url }: Pick<RegistryRequest, "method" | "url">,
  { status, headers, text }: UnwantedReply,
  host: string,
  search: CredentialSearch,
  nowMs: number,
): FailedAttempt {
  const { summary } = registryReason(text);
  return {
    fault: { kind: "status", status, retryAfterMs: parseRetryAfter(headers.get("retry-after"), nowMs) },
    error: new DestinationError(
      `${method} ${url.origin}${url.pathname} answered ${status}${summary && `: ${summary}`}`,
      remedyFor(status, host, search),
    ),
  };
}

/** Whether a registry or its token service has refused a request for good. */
export const isRefusal = (fault: Fault): boolean =>
  fault.kind === "status" && allowedRepeats(fault, "repeatable") === 0;

/**
 * Reads the reason of a refusal from the registry's reply, see «Error Codes» in the distribution specification.
 *
 * @returns codes: `DENIED`, `UNSUPPORTED`, `NAME_UNKNOWN`…; none when the reply is not in the registries' format
 * @returns summary: the registry's message, redacted for display; empty when there is none
 */
export function registryReason(text: string): { codes: string[]; summary: string } {
  const { errors } = fieldsOf(parseJson(text));
  if (!Array.isArray(errors)) {
    // the HTML page of a proxy in between does not help
    const isPage = /^\s*</.test(text);
    return { codes: [], summary: isPage ? "" : redact(text, QUOTE_LENGTH) };
  }
  const reasons = (errors as unknown[])
    .slice(0, 5)
    .map(fieldsOf)
    .map(({ code, message }) => [code, message].map((each) => (typeof each === "string" ? each : "")));
  const summary = reasons.map((parts) => parts.filter(Boolean).join(": ")).join("; ");
  return { codes: reasons.map(([code = ""]) => code), summary: redact(summary, QUOTE_LENGTH) };
}
