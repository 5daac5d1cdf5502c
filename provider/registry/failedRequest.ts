import type { FailedAttempt } from "../http/failedAttempt";
import { parseRetryAfter } from "../http/retryPolicy";
import { DestinationError } from "../messages/errors";
import type { HttpReply } from "../http/attempt";
import type { RegistryRequest } from "./exchange";
import { registryReason, remedyFor } from "./registryError";

/** How many bytes of an error response are read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A response with an unexpected status. */
export interface UnwantedReply extends Pick<HttpReply, "status" | "headers"> {
  /** The beginning of its body. */
  readonly text: string;
}

/** Reads a response with an unexpected status. */
export async function readUnwanted(reply: HttpReply): Promise<UnwantedReply> {
  const { status, headers } = reply;
  return { status, headers, text: (await reply.beginning(MAX_ERROR_BYTES)).toString() };
}

/**
 * The failure of a request that the registry refused.
 *
 * @param host of the registry
 * @param hasCredential whether the user is logged in
 * @param nowMs wall-clock time in milliseconds since 1970
 */
export function refused(
  { method, url }: Pick<RegistryRequest, "method" | "url">,
  { status, headers, text }: UnwantedReply,
  host: string,
  hasCredential: boolean,
  nowMs: number,
): FailedAttempt {
  const { summary } = registryReason(text);
  return {
    fault: { kind: "status", status, retryAfterMs: parseRetryAfter(headers.get("retry-after"), nowMs) },
    error: new DestinationError(
      `${method} ${url.origin}${url.pathname} answered ${status}${summary && `: ${summary}`}`,
      remedyFor(status, host, hasCredential),
    ),
  };
}

/** The failure of a connection, with a remedy for registries. */
export function unconnected({ fault, error }: FailedAttempt, { host }: URL): FailedAttempt {
  const remedy = ((): string => {
    switch (fault.kind) {
      case "untrusted":
        return (
          `Make the authority of ${host} known: put it as a .crt file into /etc/docker/certs.d/${host}, or name it with ` +
          "NODE_EXTRA_CA_CERTS. The check cannot be switched off."
        );
      case "refusedByProxy":
        return `Check HTTPS_PROXY, or name ${host} in NO_PROXY if it is reached without the proxy.`;
      default:
        return "code" in fault && /^(EPROTO|ERR_SSL_)/.test(fault.code)
          ? `If ${host} has no TLS, set \`plainHttp\`.`
          : "Check the network, the repository's host, and that the registry is up.";
    }
  })();
  return { fault, error: new DestinationError(error.message, remedy) };
}
