import ipaddr from "ipaddr.js";
import { ConfigurationError } from "../runtime/messages/errors";
import { isLoopback, plainHost } from "./address";

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

/**
 * Whether a list of `NO_PROXY` contains a host, as curl reads it: entries are separated by commas or white space. A name excepts its
 * subdomains, too, and may begin or end with a dot. An address excepts only itself; `10.0.0.0/8` and `2001:db8::/32` are
 * ranges. Beyond curl, `*` may be one of several entries, and an entry may begin with `*.` or end with a port. (proxy-from-env 2.1 has
 * no ranges.)
 */
function isExcepted({ hostname, port }: URL, list: string): boolean {
  const host = plainHost(hostname);
  return list
    .toLowerCase()
    .split(/[\s,]/)
    .some((entry) => {
      if (entry === "*") return true;
      const { text, onlyPort } = withoutPort(entry);
      if (onlyPort !== undefined && onlyPort !== (port || "443")) return false;
      if (ipaddr.isValid(host)) return containsAddress(text, host);
      const name = plainHost(text.replace(/^\*?\./, ""));
      return name !== "" && (host === name || host.endsWith(`.${name}`));
    });
}

/** An IPv6 address has colons of its own, so its port follows brackets: `[2001:db8::1]:8443`. */
function withoutPort(entry: string): { text: string; onlyPort?: string | undefined } {
  if (ipaddr.IPv6.isValid(entry)) return { text: entry };
  return { text: entry.replace(/:\d+$/, ""), onlyPort: /:(\d+)$/.exec(entry)?.[1] };
}

function containsAddress(entry: string, address: string): boolean {
  const [, network = "", bits] = /^\[?([^\]/]*)\]?(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const isAddress = network.includes(":")
    ? ipaddr.IPv6.isValid(network)
    : ipaddr.IPv4.isValidFourPartDecimal(network); // "10/8" is not a range for curl
  if (!isAddress) return false;
  const [range, found] = [ipaddr.parse(network), ipaddr.parse(address)];
  const widest = range.kind() === "ipv4" ? 32 : 128;
  const length = bits === undefined ? widest : Number(bits);
  return range.kind() === found.kind() && length <= widest && found.match(range, length);
}
