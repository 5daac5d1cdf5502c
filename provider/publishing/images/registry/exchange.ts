import { attempt, type HttpReply, type HttpRequest, type NetworkContext } from "../../../base/http/attempt";
import { proxyFor } from "../../../base/http/proxy";
import type { FailedAttempt } from "../../../base/http/retryPolicy";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { authoritiesFor } from "./authorities";
import { unconnected } from "./unconnected";

/** What requests to a registry need from the outside. */
export interface RegistryContext extends NetworkContext {
  /** Environment variables, for credentials and proxies: read again for every use. */
  readonly environment: (name: string) => string | undefined;
}

/** A request to a registry or to its token service. */
export interface RegistryRequest extends Pick<HttpRequest, "method" | "headers"> {
  readonly url: URL;
  /** Created again for each attempt. */
  readonly body?: (() => AsyncIterable<Uint8Array> | Buffer) | undefined;
}

/** How long a connection may be silent, in milliseconds: a registry may process an upload for a long time before it responds. */
const SILENCE_LIMIT_MS = 2 * 60_000;
/**
 * Maximum size of a text that is read, in bytes: manifests may have 4 MiB, see «Pushing Manifests» in the distribution
 * specification.
 */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request once, and reads its reply.
 *
 * @throws what `read` throws; ConfigurationError for an invalid proxy address; the signal's reason
 */
export async function exchange<T>(
  { method, url, headers, body }: RegistryRequest,
  context: RegistryContext,
  read: (reply: HttpReply) => Promise<T>,
): Promise<{ value: T } | FailedAttempt> {
  const { environment } = context;
  const { href, host, origin, pathname } = url;
  const outcome = await attempt(
    { url: href, host, name: `${method} ${origin}${pathname}` }, // without its query, which may be a credential
    { method, headers: { "accept-encoding": "identity", ...headers }, body: body?.() },
    context,
    {
      silenceMs: SILENCE_LIMIT_MS,
      proxy: proxyFor(href, environment),
      authorities: await authoritiesFor(host, environment),
    },
    read,
  );
  return "fault" in outcome ? unconnected(outcome, url) : outcome;
}

/** Reads the whole body of a reply. @throws DestinationError for a body that is too large */
export async function wholeBody(reply: HttpReply, limit: number = MAX_TEXT_BYTES): Promise<Buffer> {
  const bytes = await reply.beginning(limit);
  if (bytes.length <= limit) return bytes;
  throw new DestinationError(
    `the registry answered with more than ${limit / 1024 / 1024} MiB instead of a manifest`,
    "Check the name of the image.",
  );
}
