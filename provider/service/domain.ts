import { isIP } from "node:net";
import { domainToASCII } from "node:url";

/** Longest DNS name, in characters, see RFC 1035 §2.3.4. */
const MAX_NAME_LENGTH = 253;

/** One label of a host name, see RFC 1123 §2.1. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

const HOST_ALONE = 'give the host name alone, such as "docs.example.com"';

/**
 * Normalises a domain for state and requests: lower-case ASCII, international names in punycode. So a change of case or
 * spelling does not export a site again.
 *
 * @returns the domain, or the problem and how to fix it; without any part of the domain, because it may be a secret
 */
export function normaliseDomain(text: string): { domain: string } | { problem: string } {
  if (text.trim() === "") return { problem: 'is empty; give a host name, such as "docs.example.com"' };
  if (/\s/.test(text)) return { problem: "contains white space; remove it" };
  if (text.includes("://")) return { problem: `is a URL; ${HOST_ALONE}` };
  if (text.includes("/")) return { problem: `contains a path; ${HOST_ALONE}` };
  // domainToASCII would cut or decode them
  const [cut] = /[?#\\%@]/.exec(text) ?? [];
  if (cut !== undefined) return { problem: `contains «${cut}»; ${HOST_ALONE}` };
  if (isIP(text) !== 0 || /^\[.*\]$/.test(text)) {
    return { problem: "is an IP address; give the site's host name" };
  }
  if (text.includes(":")) return { problem: `contains a port; ${HOST_ALONE}` };
  if (text.endsWith(".")) return { problem: "ends with a dot; remove it" };
  const domain = domainToASCII(text);
  // domainToASCII returns "" for an invalid name, which has an empty label
  if (domain.length > MAX_NAME_LENGTH || !domain.split(".").every((label) => LABEL.test(label))) {
    return {
      problem: "is not a host name: labels of letters, digits and hyphens, 63 characters at most each",
    };
  }
  // "0x7f.1" is an address in disguise: a URL parser turns it into four numbers
  if (isIP(domain) !== 0) return { problem: "is an IP address; give the site's host name" };
  return { domain };
}
