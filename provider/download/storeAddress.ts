import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { isLoopback } from "../http/loopback";
import { DownloadError } from "../messages/errors";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Which addresses a store may have. */
export interface StorePolicy {
  /** `http:` is accepted, to any host. */
  readonly allowInsecure: boolean;
  /** Only addresses of the public Internet are asked. */
  readonly publicStorageOnly: boolean;
}

/** Where machines in a cloud are given their credentials: nobody keeps bundles there, and thieves ask for it. */
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

/** IPv6 addresses that hold an IPv4 one. A name ends with the place of its first half among the eight parts of the address. */
const EMBEDDING = {
  // the IPv4 address is all that is reached
  "only 6": ["::ffff:0:0/96", "64:ff9b::/96"].map((network) => ipaddr.parseCIDR(network)), // RFC 4291 (mapped), RFC 6052 (NAT64)
  // RFC 4291 (compatible), RFC 7915 (translated), RFC 8215 (NAT64 of one's own)
  "also 6": ["::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48"].map((network) => ipaddr.parseCIDR(network)),
  "also 1": [ipaddr.parseCIDR("2002::/16")], // RFC 3056 (6to4)
};

/** Only these IPv6 addresses are assigned, see https://www.iana.org/assignments/ipv6-address-space. */
const ASSIGNED = { assigned: ipaddr.parseCIDR("2000::/3") };

/**
 * Why an address is never asked.
 *
 * @param address as the name service or a URL has it
 */
export function refusedAddress(address: string, policy: StorePolicy): string | undefined {
  const plain = address.replace(/^\[|\]$|%.*$/g, "");
  if (!ipaddr.isValid(plain)) return "is no address";
  const reached = reachedBy(ipaddr.parse(plain));
  if (reached.some((each) => ipaddr.subnetMatch(each, METADATA, "") !== "")) {
    return "is a link-local or metadata address";
  }
  return policy.publicStorageOnly && !reached.every(isPublic)
    ? "is not a public address, and docs-hosting:publicStorageOnly is set"
    : undefined;
}

/** The addresses at which a connection to this one may end. */
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
 * Refuses what can be told from a URL alone. A host that is given as an address is checked here, for no name service is asked for it.
 *
 * @param from the URL that led here
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
      "Only https: is followed, so that nobody on the way reads or changes the bundle. Mend the store's redirect.",
    );
  }
  if (!ipaddr.isValid(url.hostname.replace(/^\[|\]$/g, ""))) return;
  const refused = refusedAddress(url.hostname, policy);
  if (refused !== undefined) fail(`${url.host}, which ${refused}`, REFUSED_REMEDY);
}

/** What to do about an address that is not asked. */
export const REFUSED_REMEDY = "Ask the service's operator why its links lead there.";

/** How a host's addresses are found: `dns.lookup`, as it is used here. */
export type Lookup = (
  host: string,
  options: { all: true; family?: number; hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void;

/**
 * The way to a host's addresses that passes only those that may be asked: the one that is connected to is one that was checked,
 * whatever the name service answers to the next who asks.
 *
 * @param onRefused gets the reason when no address is left
 */
export function guardedLookup(
  lookup: Lookup,
  policy: StorePolicy,
  onRefused: (why: string) => void,
): LookupFunction {
  return (host, { all, family, hints }, callback) => {
    const options = {
      all: true as const,
      ...(typeof family === "number" && { family }),
      ...(hints !== undefined && { hints }),
    };
    lookup(host, options, (error, addresses) => {
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
      if (all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
