import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Which addresses of a store are allowed. */
export interface AddressPolicy {
  /** Allows only public addresses. */
  readonly publicStorageOnly: boolean;
}

/** Names by which cloud machines reach the same, on some clouds without a dot. */
export const METADATA_NAMES: readonly string[] = [
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
];

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

export const NOT_PUBLIC = "is not a public address, and docs-hosting:publicStorageOnly is set";

/**
 * Why an address is refused; `undefined` if it is allowed.
 *
 * @param address from a DNS reply or a URL, without brackets; it may have a zone (`fe80::1%eth0`)
 */
export function refusedAddress(address: string, policy: AddressPolicy): string | undefined {
  if (!ipaddr.isValid(address)) return "is not an address";
  const reached = reachedBy(ipaddr.parse(address));
  if (reached.some((each) => ipaddr.subnetMatch(each, METADATA, "") !== "")) {
    return "is a link-local or metadata address";
  }
  return policy.publicStorageOnly && !reached.every(isPublic) ? NOT_PUBLIC : undefined;
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
