import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../http/loopback";
import { DownloadError } from "../messages/errors";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Which addresses of a store are allowed. */
export interface StorePolicy {
  /** Allows `http:`, to any host. */
  readonly allowInsecure: boolean;
  /** Allows only public addresses. */
  readonly publicStorageOnly: boolean;
}

/** Addresses from which cloud machines get their credentials: no store is there, and attackers request them. */
const METADATA = {
  metadata: [
    "169.254.0.0/16", // link-local (RFC 3927): AWS, Azure, Google and most others
    "fe80::/10", // link-local
    "fd00:ec2::254/128", // AWS
    "fd20:ce::254/128", // Google
    "100.100.100.200/32", // Alibaba
    "168.63.129.16/32", // Azure
    "192.0.0.192/32", // Oracle
  ].map((network) => ipaddr.parseCIDR(network)),
};

/**
 * IPv6 addresses that contain an IPv4 address. A key ends with the position of its first half among the address's eight groups.
 */
const EMBEDDING = {
  // only the IPv4 address is reached
  "only 6": ["::ffff:0:0/96", "64:ff9b::/96"].map((network) => ipaddr.parseCIDR(network)), // RFC 4291 (mapped), RFC 6052 (NAT64)
  // RFC 4291 (compatible), RFC 7915 (translated), RFC 8215 (NAT64 of one's own)
  "also 6": ["::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48"].map((network) => ipaddr.parseCIDR(network)),
  "also 1": [ipaddr.parseCIDR("2002::/16")], // RFC 3056 (6to4)
};

/** Only these IPv6 addresses are assigned, see https://www.iana.org/assignments/ipv6-address-space. */
const ASSIGNED = { assigned: ipaddr.parseCIDR("2000::/3") };

/**
 * Why an address is refused; `undefined` if it is allowed.
 *
 * @param address from a DNS answer or a URL, without brackets; it may have a zone (`fe80::1%eth0`)
 */
export function refusedAddress(address: string, policy: StorePolicy): string | undefined {
  if (!ipaddr.isValid(address)) return "is not an address";
  const reached = reachedBy(ipaddr.parse(address));
  if (reached.some((each) => ipaddr.subnetMatch(each, METADATA, "") !== "")) {
    return "is a link-local or metadata address";
  }
  return policy.publicStorageOnly && !reached.every(isPublic)
    ? "is not a public address, and docs-hosting:publicStorageOnly is set"
    : undefined;
}

/** The addresses that a connection to this address may reach. */
function reachedBy(address: Address): Address[] {
  const [which, at] = ipaddr.subnetMatch(address, EMBEDDING, "none").split(" ");
  if (at === undefined) return [address];
  const bytes = address.toByteArray().slice(2 * Number(at), 2 * Number(at) + 4);
  const embedded = ipaddr.fromByteArray(bytes);
  return which === "only" ? [embedded] : [address, embedded];
}

function isPublic(address: Address): boolean {
  const range = address.range();
  if (address.kind() === "ipv4") return range === "unicast";
  return (range === "unicast" || range === "6to4") && ipaddr.subnetMatch(address, ASSIGNED, "") !== "";
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
  const host = url.hostname.replace(/[[\]]/g, ""); // around an IPv6 address
  if (!ipaddr.isValid(host)) return;
  const refused = refusedAddress(host, policy);
  if (refused !== undefined) fail(`${url.host}, which ${refused}`, REFUSED_REMEDY);
}

/** The remedy for a refused address. */
export const REFUSED_REMEDY = "Ask the service's operator why its links lead there.";

/** Resolves a host: `dns.lookup`, as it is used here. */
export type Lookup = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A DNS lookup that returns only allowed addresses. The connection uses a checked address, even if the DNS server later gives
 * another answer.
 *
 * @param onRefused gets the reason when no address is allowed
 */
export function guardedLookup(
  lookup: Lookup,
  policy: StorePolicy,
  onRefused: (why: string) => void,
): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const allowed = addresses.filter(({ address }) => refusedAddress(address, policy) === undefined);
      const [first] = allowed;
      if (!first) {
        const address = addresses[0]?.address;
        onRefused(
          address === undefined ? "it has no address" : `${address} ${refusedAddress(address, policy) ?? ""}`,
        );
        return callback(Object.assign(new Error("refused address"), { code: "EACCES" }), "");
      }
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
