import { isLoopback } from "./loopback";
import { isExcepted } from "./noProxy";
import { ConfigurationError } from "../runtime/messages/errors";

/** Environment variable with the URL of the proxy for `https:`. The lower-case name takes precedence, as usual. */
const PROXY_VARIABLE = "HTTPS_PROXY";
/** Environment variable with the hosts that are reached without the proxy. */
const NO_PROXY_VARIABLE = "NO_PROXY";

/**
 * The proxy for connections to the service, read from the environment as curl does. Only `https:` uses a proxy, as a tunnel: the
 * proxy of an `http:` request could read the API key. Connections to this machine never use a proxy.
 *
 * @throws ConfigurationError for a proxy without an http(s) URL; the message does not show its password
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
