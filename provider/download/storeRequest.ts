import type { Response } from "node-fetch";
import type { Fetch } from "../http/attempt";
import { AttemptConnection } from "../http/attemptConnection";
import { connectionFailure } from "../http/connectionFailure";
import type { Endpoint } from "../http/endpoint";
import type { FailedAttempt } from "../http/failedAttempt";
import type { Clock } from "../time/clock";
import { DownloadError } from "../words/errors";
import type { Secrets } from "../words/secrets";
import { checkStoreUrl, guardedLookup, REFUSED_REMEDY, type Lookup, type StorePolicy } from "./storeAddress";

/** How many redirects are followed: to another region, to a server near by. */
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What asking a store needs from the outside. */
export interface StoreNetwork {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly policy: StorePolicy;
  /** The proxy on the way to a URL. @throws ConfigurationError */
  readonly proxyFor: (url: string) => URL | undefined;
  readonly lookup: Lookup;
  /** Gets what redirects hold. */
  readonly secrets: Pick<Secrets, "addLink">;
}

/** A store's answer, of which the head has arrived. */
export interface OpenAnswer {
  readonly response: Response;
  /** The host that answered. */
  readonly host: string;
  /** Tells what became of the body. @param error what reading it threw */
  failure(error: unknown): FailedAttempt;
  close(): void;
}

/**
 * Asks a store for what a link leads to. It learns nothing but the link: no key, no cookie. With a proxy, the name of the store is looked
 * up there, and cannot be checked here; what is given as an address is, always.
 *
 * @throws DownloadError for a redirect that is not followed or an address that is not asked
 */
export async function askStore(
  link: string,
  headers: Readonly<Record<string, string>>,
  network: StoreNetwork,
  signal: AbortSignal,
): Promise<OpenAnswer | FailedAttempt> {
  let url = new URL(link);
  let from: URL | undefined;
  for (let redirects = 0; ; redirects++) {
    checkStoreUrl(url, network.policy, from);
    // the link as it was written: a signature may be of every character
    const answer = await ask(from ? url.href : link, headers, network, signal);
    if (!("response" in answer) || !REDIRECTS.has(answer.response.status)) return answer;
    answer.close();
    const header = answer.response.headers.get("location");
    const location = header === null ? null : URL.parse(header, url.href);
    if (!location || location.username || location.password || redirects === MAX_REDIRECTS) {
      throw new DownloadError(
        redirects === MAX_REDIRECTS
          ? `the store ${url.host} redirects more than ${MAX_REDIRECTS} times`
          : `the store ${url.host} redirects to nowhere (status ${answer.response.status})`,
        "Report this to the service's support.",
      );
    }
    network.secrets.addLink(location);
    [from, url] = [url, location];
  }
}

async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  { fetch, clock, policy, proxyFor, lookup }: StoreNetwork,
  signal: AbortSignal,
): Promise<OpenAnswer | FailedAttempt> {
  const { host, protocol, hostname } = new URL(url);
  let refused: DownloadError | undefined;
  const guarded = guardedLookup(lookup, policy, (why) => {
    refused = new DownloadError(`the link leads to ${hostname}: ${why}`, REFUSED_REMEDY);
  });
  const connection = new AttemptConnection(url, proxyFor(url), clock, { lookup: guarded });
  const endpoint: Endpoint = { url, host, name: `GET ${protocol}//${host}` };
  const failure = (error: unknown): FailedAttempt => connectionFailure(endpoint, error, connection);
  try {
    const response = await fetch(url, {
      headers: {
        ...headers,
        accept: "*/*",
        "accept-encoding": "identity",
        "user-agent": "pulumi-docs-hosting",
      },
      compress: false,
      redirect: "manual",
      signal,
      agent: connection.agent,
    });
    return { response, host, failure, close: () => connection.close() };
  } catch (error) {
    connection.close();
    if (refused) throw refused;
    return failure(error);
  }
}
