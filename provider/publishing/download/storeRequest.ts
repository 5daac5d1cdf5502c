import { guardedLookup, type Lookup } from "../../base/http/address";
import { attempt, type HttpReply, type NetworkContext } from "../../base/http/attempt";
import type { FailedAttempt } from "../../base/http/retryPolicy";
import { DownloadError } from "../../base/runtime/messages/errors";
import { checkStoreUrl, REFUSED_REMEDY, type StorePolicy } from "./storeAddress";

/** How many redirects are followed, for example to another region or a closer server. */
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** How long the store may send nothing, in milliseconds: before and during its reply. */
const STALL_LIMIT_MS = 30_000;

/** What a request to a store needs from the outside. */
export interface StoreNetwork extends NetworkContext {
  readonly policy: StorePolicy;
  /** The proxy for a URL. @throws ConfigurationError */
  readonly proxyFor: (url: string) => URL | undefined;
  readonly lookup: Lookup;
}

/**
 * Requests a link from the store. The store gets only the link: no key, no cookie. A proxy resolves the store's host itself, so
 * that address cannot be checked here; an IP address in a URL is always checked.
 *
 * @param read gets the reply, and the host that sent it
 * @throws DownloadError for a redirect that is not followed or a refused address; what `read` throws; the signal's reason
 */
export async function requestStore<T>(
  link: string,
  headers: Readonly<Record<string, string>>,
  network: StoreNetwork,
  read: (reply: HttpReply, host: string) => Promise<T>,
): Promise<{ value: T } | FailedAttempt> {
  let from: URL | undefined;
  for (let url = new URL(link), redirects = 0; ; redirects++) {
    checkStoreUrl(url, network.policy, from);
    const requested = url;
    const { host, hostname, protocol } = url;
    let refused: DownloadError | undefined;
    const lookup = guardedLookup(network.lookup, network.policy, (why) => {
      refused = new DownloadError(`the link leads to ${hostname}: ${why}`, REFUSED_REMEDY);
    });
    // the link exactly as issued: a signature may cover every character
    const exact = from ? url.href : link;
    const outcome = await attempt(
      { url: exact, host, name: `GET ${protocol}//${host}` },
      { method: "GET", headers: { ...headers, accept: "*/*", "accept-encoding": "identity" }, isRaw: true },
      network,
      { silenceMs: STALL_LIMIT_MS, proxy: network.proxyFor(exact), lookup },
      async (reply) =>
        REDIRECTS.has(reply.status)
          ? { next: redirected(requested, reply, redirects) }
          : { value: await read(reply, host) },
    );
    if (refused) throw refused;
    if ("fault" in outcome) return outcome;
    if (!("next" in outcome.value)) return outcome.value;
    network.secrets.addLink(outcome.value.next);
    [from, url] = [url, outcome.value.next];
  }
}

/** @throws DownloadError for a redirect that is not followed */
function redirected({ host, href }: URL, { status, headers }: HttpReply, redirects: number): URL {
  const header = headers.get("location");
  const location = header === null ? null : URL.parse(header, href);
  if (location && !location.username && !location.password && redirects < MAX_REDIRECTS) return location;
  throw new DownloadError(
    redirects === MAX_REDIRECTS
      ? `the store ${host} redirects more than ${MAX_REDIRECTS} times`
      : `the store ${host} redirects to nowhere (status ${status})`,
    "Report this to the service's support.",
  );
}
