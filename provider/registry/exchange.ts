import { attempt, type HttpReply, type HttpRequest, type NetworkContext } from "../http/attempt";
import type { FailedAttempt } from "../http/failedAttempt";
import { proxyFor } from "../http/proxy";
import { DestinationError } from "../messages/errors";
import { authoritiesFor } from "./authorities";

/** What talking to a registry gets from the outside. */
export interface RegistryContext extends NetworkContext {
  /** Environment variables, for credentials and proxies: read anew whenever one is needed. */
  readonly environment: (name: string) => string | undefined;
}

/** What is asked of a registry, or of who gives its tokens. */
export interface RegistryRequest extends Pick<HttpRequest, "method" | "headers"> {
  readonly url: URL;
  /** Made anew for each attempt. */
  readonly body?: () => AsyncIterable<Uint8Array> | Buffer;
}

/** How long nothing may move, in milliseconds: a registry may look at what it got for long before it answers. */
const SILENCE_LIMIT_MS = 2 * 60_000;
/** Longest text that is read, in bytes: manifests may have 4 MiB, see «Pushing Manifests» of the distribution specification. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request once, and has its answer read.
 *
 * @throws what `read` throws; ConfigurationError for a proxy that is no address; the signal's reason
 */
export async function exchange<T>(
  { method, url, headers, body }: RegistryRequest,
  context: RegistryContext,
  read: (reply: HttpReply) => Promise<T>,
): Promise<{ value: T } | FailedAttempt> {
  const { environment } = context;
  const { href, host, origin, pathname } = url;
  return attempt(
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
}

/** All bytes of an answer. @throws DestinationError for too many */
export async function wholeBody(reply: HttpReply, limit = MAX_TEXT_BYTES): Promise<Buffer> {
  const bytes = await reply.beginning(limit);
  if (bytes.length <= limit) return bytes;
  throw new DestinationError(
    `the registry answered with more than ${limit / 1024 / 1024} MiB where a manifest is`,
    "Check the name of the image.",
  );
}
