import { MalformedResponseError } from "../runtime/messages/errors";
import { type Repetition } from "./retryPolicy";

export interface Call {
  readonly method: "GET" | "POST";
  /** Segments of the path below the base URL; each is encoded. */
  readonly path: readonly string[];
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly repetition: Repetition;
  /** Sent with each attempt, so that the service can distinguish a repetition from a second call. */
  readonly idempotencyKey?: string | undefined;
}

export interface ServiceAccess {
  /** Absolute URL without a trailing slash; the paths of endpoints are appended. */
  readonly baseUrl: string;
  /** Reads the key for each request: it is stored nowhere. @throws ConfigurationError */
  readonly apiKey: () => string;
  /** The source of the key, for messages. */
  readonly apiKeyName: string;
  /** The proxy for the service. Its URL may contain a password: messages show only its host. */
  readonly proxy?: URL | undefined;
}

/** The URL of a call. Safe to show: the base URL contains no query and no password, and the path only ids. */
export interface Endpoint {
  readonly url: string;
  readonly host: string;
  /** Method and URL, for messages. */
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
