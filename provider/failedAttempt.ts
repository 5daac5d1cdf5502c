import type { AttemptConnection } from "./attemptConnection";
import type { ServiceSettings } from "./configuration";
import type { Endpoint } from "./endpoint";
import {
  ConnectionError,
  KeyRejectedError,
  MalformedResponseError,
  NotAllowedError,
  NotFoundError,
  NotReadyError,
  ResponseError,
  type DocsHostingError,
} from "./errors";
import { redact } from "./redaction";
import { MAX_BODY_BYTES, parseJson, QUOTE_LENGTH } from "./replyBody";
import type { Fault } from "./retryPolicy";

/** An attempt that brought no usable reply: what decides about the next one, and what to tell the user. */
export interface FailedAttempt {
  readonly fault: Fault;
  readonly error: DocsHostingError;
}

/** Statuses that send a client to another address. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The service answered with an error status, see `spec.md`, Errors. */
export function refusal(
  endpoint: Endpoint,
  answer: { status: number; text: string | undefined; retryAfterMs?: number },
  service: ServiceSettings,
  key: string,
): FailedAttempt {
  const { status, retryAfterMs } = answer;
  const reason = serviceReason(answer.text, key);
  const answered = `${endpoint.name} answered ${status}${reason && `: ${reason}`}`;
  const error = ((): DocsHostingError => {
    switch (status) {
      case 401:
        return new KeyRejectedError(
          `the service rejected the API key (${answered})`,
          `Check that ${service.apiKeyName} holds a current admin API key of the right organization.`,
          status,
        );
      case 403:
        return new NotAllowedError(
          `the service does not allow this (${answered})`,
          "Static export needs the enterprise plan: check the plan of this site, and what the API key may do.",
          status,
        );
      case 404:
        return new NotFoundError(answered, "Check the domain, the job id and the base URL.", status);
      case 409:
        return new NotReadyError(answered, "Try again when the job is completed.", status);
      case 429:
        return new ResponseError(
          `the service limits the rate of requests (${answered})`,
          "Try again later.",
          status,
        );
      default:
        return REDIRECTS.has(status)
          ? new ResponseError(
              `${answered}, a redirect, which is not followed so that the API key stays with the base URL`,
              "Set the base URL to where the service really is.",
              status,
            )
          : new ResponseError(
              answered,
              status >= 500
                ? "The service has a problem: try again later."
                : "Check the inputs and the base URL.",
              status,
            );
    }
  })();
  return { fault: { kind: "status", status, retryAfterMs }, error };
}

/** The service's own words: `error` as in `spec.md`, Error; the beginning of any other short text. */
function serviceReason(text: string | undefined, key: string): string {
  if (text === undefined) return "";
  const body = parseJson(text);
  if (body === undefined) return redact(text, [key], QUOTE_LENGTH);
  const { error: reason } = Object(body) as { error?: unknown };
  return typeof reason === "string" ? redact(reason, [key]) : "";
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

/** No whole answer arrived. `error` is node-fetch's, whose own text is not shown: it may hold anything. */
export function connectionFailure(
  endpoint: Endpoint,
  error: unknown,
  { state, proxyHost, refusedByProxy }: AttemptConnection,
): FailedAttempt {
  const { name, code: rawCode, type } = error as { name?: string; code?: string; type?: string };
  const code = name === "AbortError" ? "no answer in time" : (rawCode ?? "connection failed");
  // until the connection is ready it may as well be the proxy that fails
  const proxy = state === "connecting" ? proxyHost : undefined;
  const through = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  const otherService = "Check that the base URL is that of the service.";
  if (refusedByProxy !== undefined) {
    return {
      fault: { kind: "refusedByProxy", status: refusedByProxy },
      error: new ConnectionError(
        `the proxy ${proxyHost ?? ""} refused to connect to ${endpoint.host} (status ${refusedByProxy})`,
        "Check HTTPS_PROXY, or name the service's host in NO_PROXY if it is reached without the proxy.",
      ),
    };
  }
  if (type === "max-size" || code === "HPE_HEADER_OVERFLOW") {
    const what =
      type === "max-size" ? `more than ${MAX_BODY_BYTES / 1024} KiB` : "headers that are too large";
    return {
      fault: { kind: "oversized" },
      error: new MalformedResponseError(`${endpoint.name} answered ${what}`, otherService),
    };
  }
  if (code.startsWith("HPE_")) {
    return {
      fault: { kind: "notHttp" },
      error: new MalformedResponseError(
        `${endpoint.name} answered${through} with what is not usable HTTP (${code})`,
        otherService,
      ),
    };
  }
  if (code.startsWith("Z_")) {
    return {
      fault: { kind: "malformed" },
      error: new MalformedResponseError(
        `${endpoint.name} answered with what cannot be unpacked (${code})`,
        otherService,
      ),
    };
  }
  if (/CERT|ISSUER|SIGNATURE/.test(code) && !code.startsWith("ERR_SSL_")) {
    return {
      fault: { kind: "untrusted", code },
      error: new ConnectionError(
        `the certificate of ${endpoint.host}${through} is not trusted (${code})`,
        "Mend the certificate, or make its authority known with NODE_EXTRA_CA_CERTS. The check cannot be switched off.",
      ),
    };
  }
  const unseen = state === "unused" ? UNREACHABLE.has(code) : state === "connecting";
  return {
    fault: { kind: unseen ? "unreachable" : "interrupted", code },
    error: new ConnectionError(
      code === "ENOTFOUND"
        ? `host not found: ${proxy ?? endpoint.host}`
        : `${endpoint.name} failed${through} (${code})`,
      "Check the network, the base URL, and that the service is up.",
    ),
  };
}
