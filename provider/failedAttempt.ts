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
import { MAX_BODY_BYTES, QUOTE_LENGTH } from "./replyBody";
import { parseRetryAfter, type Fault } from "./retryPolicy";

/** An attempt that brought no usable reply: what decides about the next one, and what to tell the user. */
export interface FailedAttempt {
  readonly fault: Fault;
  readonly error: DocsHostingError;
}

/** The service answered with an error status, see `spec.md`, Errors. */
export function refusal(answer: {
  endpoint: Endpoint;
  status: number;
  text: string | undefined;
  retryAfter: string | null;
  dateMs: number;
  service: ServiceSettings;
  key: string;
}): FailedAttempt {
  const { status, service } = answer;
  const reason = redact(serviceReason(answer.text), [answer.key]);
  const answered = `${answer.endpoint.name} answered ${status}${reason && `: ${reason}`}`;
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
        return status >= 300 && status < 400
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
  const retryAfterMs = parseRetryAfter(answer.retryAfter, answer.dateMs);
  return { fault: { kind: "status", status, retryAfterMs }, error };
}

/** The service's own words: `error` as in `spec.md`, Error; the beginning of any other short text. */
function serviceReason(text: string | undefined): string {
  if (text === undefined) return "";
  try {
    const body = JSON.parse(text) as { error?: unknown } | null;
    return typeof body?.error === "string" ? body.error : "";
  } catch {
    return text.slice(0, QUOTE_LENGTH);
  }
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
export function connectionFailure(endpoint: Endpoint, error: unknown): FailedAttempt {
  const { name, code: rawCode, type } = error as { name?: string; code?: string; type?: string };
  if (type === "max-size") {
    return {
      fault: { kind: "malformed" },
      error: new MalformedResponseError(
        `${endpoint.name} answered more than ${MAX_BODY_BYTES / 1024} KiB`,
        "Check that the base URL is that of the service.",
      ),
    };
  }
  const timedOut = name === "AbortError";
  const code = timedOut ? "no answer in time" : (rawCode ?? "connection failed");
  if (/CERT|ISSUER|SIGNATURE/.test(code)) {
    return {
      fault: { kind: "untrusted", code },
      error: new ConnectionError(
        `the certificate of ${endpoint.host} is not trusted (${code})`,
        "Mend the certificate, or make its authority known with NODE_EXTRA_CA_CERTS. The check cannot be switched off.",
      ),
    };
  }
  if (code.startsWith("HPE_")) {
    return {
      fault: { kind: "malformed" },
      error: new MalformedResponseError(
        `${endpoint.name} answered with what is not usable HTTP (${code})`,
        "Check that the base URL is that of the service.",
      ),
    };
  }
  const problem =
    code === "ENOTFOUND" ? `host not found: ${endpoint.host}` : `${endpoint.name} failed (${code})`;
  return {
    fault: { kind: UNREACHABLE.has(code) ? "unreachable" : "interrupted", code },
    error: new ConnectionError(problem, "Check the network, the base URL, and that the service is up."),
  };
}
