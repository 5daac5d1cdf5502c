import { MalformedResponseError } from "../messages/errors";
import type { Repetition } from "./retryPolicy";

/** What to ask the service for. */
export interface Call {
  readonly method: "GET" | "POST";
  /** Segments of the path below the base URL; each is encoded. */
  readonly path: readonly string[];
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly repetition: Repetition;
  /** Sent with each attempt, so that the service can tell a repetition from a second call. */
  readonly idempotencyKey?: string;
}

/** Where requests go, and with which key. */
export interface Origin {
  /** Absolute URL without a trailing slash; the paths of endpoints are appended. */
  readonly baseUrl: string;
  /** Reads the key at the moment of a request: it is kept nowhere. @throws ConfigurationError */
  readonly apiKey: () => string;
  /** The place the key comes from, for messages. */
  readonly apiKeyName: string;
  /** The proxy on the way there. Its URL may hold a password: only its host is ever shown. */
  readonly proxy?: URL;
}

/** Where a call goes. Safe to show: the base URL holds neither a query nor a password, the path only ids. */
export interface Endpoint {
  readonly url: string;
  readonly host: string;
  /** Method and URL, as messages show it. */
  readonly name: string;
}

/** @throws MalformedResponseError for a segment that would lead to another path */
export function endpointOf(baseUrl: string, call: Call): Endpoint {
  const path = call.path.map((segment) => {
    if (segment === "" || segment === "." || segment === "..") {
      throw new MalformedResponseError(
        `"${segment}" cannot be part of an address`,
        "Check the ids given to the resource.",
      );
    }
    return encodeURIComponent(segment);
  });
  const url = `${baseUrl}/${path.join("/")}`;
  return { url, host: new URL(url).host, name: `${call.method} ${url}` };
}
