import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { isPrintable } from "../runtime/messages/plainText";
import { type AddressPolicy, METADATA_NAMES, NOT_PUBLIC, refusedAddress } from "./addressPolicy";

/** Whether a URL's host is this machine, see RFC 6761 §6.3 and RFC 1122 §3.2.1.3. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/** Without the brackets of an IPv6 address, and without the dot at the end of a complete name. */
export function plainHost(hostname: string): string {
  return hostname.replace(/[[\]]/g, "").replace(/\.$/, "");
}

/** Resolves a host: `dns.lookup`, as it is used here. */
export type Lookup = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Why the host and port of a link are refused without a DNS lookup; `undefined` if they are allowed. A host that is an IP address is
 * never looked up.
 */
export function refusedHost({ hostname, port }: URL, policy: AddressPolicy): string | undefined {
  if (port === "0") return "has the port 0, where nothing can listen";
  const host = plainHost(hostname);
  if (METADATA_NAMES.includes(host)) return "is the name of a metadata address";
  if (ipaddr.isValid(host)) return refusedAddress(host, policy);
  return policy.publicStorageOnly && isLoopback(host) ? NOT_PUBLIC : undefined;
}

/**
 * A DNS lookup that returns only allowed addresses. The connection uses a checked address, even if the DNS server later gives
 * another reply.
 *
 * @param onRefused gets the reason when no address is allowed
 */
export function guardedLookup(
  lookup: Lookup,
  policy: AddressPolicy,
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

/**
 * Whether programs disagree about the host of an address. The WHATWG URL parser drops line breaks, adds missing slashes, and ends
 * the host at a `\`: for it, the host of `https://good\@evil/` is good, and for other programs evil. `https:///evil/` has no host.
 */
export function isReadDifferently(url: string): boolean {
  return (
    url !== url.trim() ||
    !isPrintable(url) ||
    /^https?:(?!\/\/[^/\\])/i.test(url) ||
    /^https?:\/\/[^/?#]*\\/i.test(url)
  );
}
