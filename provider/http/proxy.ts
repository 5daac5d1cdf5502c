import { isLoopback } from "./loopback";
import { ConfigurationError } from "../messages/errors";

/** Environment variable with the URL of the proxy for `https:`. Read in lower case first, as everywhere. */
const PROXY_VARIABLE = "HTTPS_PROXY";
/** Environment variable with the hosts that are reached without it. */
const NO_PROXY_VARIABLE = "NO_PROXY";

/**
 * The proxy that connections to the service go through, as curl reads it from the environment. Only `https:` goes through
 * one, as a tunnel: the proxy of an `http:` request would read the API key. This machine is never reached by proxy.
 *
 * @throws ConfigurationError for a proxy that is not known by an http(s) URL; the text does not show its password
 */
export function proxyFor(
  baseUrl: string,
  environment: (name: string) => string | undefined,
): URL | undefined {
  const read = (name: string): string =>
    [name.toLowerCase(), name].map((each) => environment(each)?.trim()).find(Boolean) ?? "";
  const service = new URL(baseUrl);
  const text = read(PROXY_VARIABLE);
  if (text === "" || service.protocol !== "https:" || isLoopback(service.hostname)) return undefined;
  if (isExcepted(service, read(NO_PROXY_VARIABLE))) return undefined;
  const proxy = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw new ConfigurationError(
    `${PROXY_VARIABLE} is not the URL of an http(s) proxy`,
    `Write it like http://proxy.example.com:3128, or name the service's host in ${NO_PROXY_VARIABLE}.`,
  );
}

/**
 * Whether `NO_PROXY` (hosts between commas, each with all below it, perhaps with a port; «*» for all) names a host. To
 * proxy-from-env (2.1), a host means that host alone, and a proxy without a scheme is one that speaks TLS.
 */
function isExcepted({ hostname, port }: URL, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      const [, host = "", onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (host === "" || (onlyPort !== undefined && onlyPort !== (port || "443"))) return false;
      return hostname === host || hostname.endsWith(`.${host}`);
    });
}
