import { isLoopback, refusedHost } from "../../base/http/address";
import { type AddressPolicy } from "../../base/http/addressPolicy";
import { DownloadError } from "../../base/runtime/messages/errors";

/** Which addresses of a store are allowed. */
export interface StorePolicy extends AddressPolicy {
  /** Allows `http:`, to any host. */
  readonly allowInsecure: boolean;
}

/**
 * Refuses a URL without a DNS lookup. It checks a host that is an IP address here, because such a host is never looked up.
 *
 * @param from the URL that redirected here
 * @throws DownloadError
 */
export function checkStoreUrl(url: URL, policy: StorePolicy, from?: URL): void {
  const fail = (what: string, remedy: string): never => {
    throw new DownloadError(`the ${from ? `store ${from.host}` : "link"} leads to ${what}`, remedy);
  };
  const httpAccepted =
    !from || (from.protocol === "http:" && (policy.allowInsecure || isLoopback(url.hostname)));
  if (url.protocol !== "https:" && !(url.protocol === "http:" && httpAccepted)) {
    fail(
      `${url.protocol}//${url.host}`,
      "Only https: is followed, so that nobody on the network can read or change the bundle. Correct the store's redirect.",
    );
  }
  const refused = refusedHost(url, policy);
  if (refused !== undefined) fail(`${url.host}, which ${refused}`, REFUSED_REMEDY);
}

/** The remedy for a refused address. */
export const REFUSED_REMEDY = "Ask the service's operator why its links lead there.";
