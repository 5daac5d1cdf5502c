import { BlockList, isIP, type LookupFunction } from "node:net";
import { isLoopback } from "../http/loopback";
import { DownloadError } from "../words/errors";

/** Which addresses a store may have. */
export interface StorePolicy {
  /** `http:` is accepted, to any host. */
  readonly allowInsecure: boolean;
  /** Only addresses of the public Internet are asked. */
  readonly publicStorageOnly: boolean;
}

/** Address and length of a network. */
type Network = readonly [address: string, prefix: number];

/** Where machines in a cloud are given their credentials: nobody keeps bundles there, and thieves ask for it. */
const METADATA = blockList([
  ["169.254.0.0", 16], // link-local (RFC 3927): AWS, Azure, Google and most others
  ["fe80::", 10], // link-local
  ["fd00:ec2::254", 128], // AWS
  ["fd20:ce::254", 128], // Google
  ["100.100.100.200", 32], // Alibaba
  ["168.63.129.16", 32], // Azure
  ["192.0.0.192", 32], // Oracle
]);

/** What is not reached through the public Internet, see https://www.iana.org/assignments/iana-ipv4-special-registry. */
const NOT_PUBLIC = {
  ipv4: blockList([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 3], // multicast and reserved
  ]),
  // only 2000::/3 is assigned, and of that not all, see https://www.iana.org/assignments/iana-ipv6-special-registry
  ipv6: blockList([
    ["::", 3],
    ["4000::", 2],
    ["8000::", 1],
    ["2001::", 23],
    ["2001:db8::", 32],
    ["3fff::", 20],
  ]),
};

/** IPv6 addresses that hold an IPv4 one: at which of their eight groups it begins, and whether it is all that is reached. */
const EMBEDDING: readonly { list: BlockList; at: number; isSame: boolean }[] = [
  { list: blockList([["::ffff:0:0", 96]]), at: 6, isSame: true }, // IPv4-mapped (RFC 4291)
  { list: blockList([["64:ff9b::", 96]]), at: 6, isSame: true }, // NAT64 (RFC 6052)
  { list: blockList([["64:ff9b:1::", 48]]), at: 6, isSame: false }, // NAT64 of one's own (RFC 8215)
  { list: blockList([["::", 96]]), at: 6, isSame: false }, // IPv4-compatible (RFC 4291)
  { list: blockList([["2002::", 16]]), at: 1, isSame: false }, // 6to4 (RFC 3056)
];

/**
 * Why an address is never asked.
 *
 * @param address as the name service or a URL has it
 */
export function refusedAddress(address: string, policy: StorePolicy): string | undefined {
  const plain = address.replace(/^\[|\]$|%.*$/g, "");
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  if (METADATA.check(plain, family)) return "is a link-local or metadata address";
  const embedding = family === "ipv6" && EMBEDDING.find(({ list }) => list.check(plain, "ipv6"));
  if (embedding) {
    const refused = refusedAddress(ipv4At(embedding.at, plain), policy);
    if (refused !== undefined || embedding.isSame) return refused;
  }
  return policy.publicStorageOnly && NOT_PUBLIC[family].check(plain, family)
    ? "is not a public address, and docs-hosting:publicStorageOnly is set"
    : undefined;
}

function ipv4At(group: number, ipv6: string): string {
  return groupsOf(ipv6)
    .slice(group, group + 2)
    .flatMap((number) => [number >> 8, number & 0xff])
    .join(".");
}

/** The eight numbers of an IPv6 address. */
function groupsOf(ipv6: string): number[] {
  // without dots in it, see https://url.spec.whatwg.org/#concept-ipv6-serializer
  const [head = "", tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split("::");
  const numbers = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const [begin, end] = [numbers(head), numbers(tail ?? "")];
  return [...begin, ...Array<number>(8 - begin.length - end.length).fill(0), ...end];
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
  if (isIP(url.hostname.replace(/^\[|\]$/g, "")) === 0) return;
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
 * @param onRefused gets the host's address, and why it is not asked, when none is left
 */
export function guardedLookup(
  lookup: Lookup,
  policy: StorePolicy,
  onRefused: (address: string, why: string) => void,
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
        const [{ address } = { address: "" }] = addresses;
        onRefused(address, refusedAddress(address, policy) ?? "has no address");
        return callback(Object.assign(new Error("refused address"), { code: "EACCES" }), "");
      }
      if (all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function blockList(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) {
    list.addSubnet(address, prefix, isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
