/**
 * An address ends at the next space and includes commas, except those at its end; its descriptors end at the next comma outside
 * parentheses, as browsers parse it: https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
 */
export const CANDIDATE: RegExp =
  /[\t\n\f\r ,]*([^\t\n\f\r ,](?:[^\t\n\f\r ]*[^\t\n\f\r ,])?)(?:,+|(?:\([^)]*\)?|[^,(])*)/gy;

/** The addresses in a `srcset`. */
export function srcsetAddresses(srcset: string): Iterable<string> {
  return srcset.matchAll(CANDIDATE).map(([, address = ""]) => address);
}
