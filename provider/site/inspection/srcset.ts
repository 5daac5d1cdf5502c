/**
 * The addresses in a `srcset`, as browsers parse it:
 * https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
 */
export function* srcsetAddresses(srcset: string): Generator<string, void, undefined> {
  // an address ends at the next space and includes commas, except those at its end; its descriptors end at the next comma outside
  // parentheses
  const candidate = /[\t\n\f\r ,]*([^\t\n\f\r ]+)/y;
  const descriptors = /(?:\([^)]*\)?|[^,(])*/y;
  for (let match; (match = candidate.exec(srcset)) !== null;) {
    const token = match[1] ?? "";
    let end = token.length;
    while (token.charAt(end - 1) === ",") end--;
    yield token.slice(0, end);
    if (end === token.length) {
      descriptors.lastIndex = candidate.lastIndex;
      descriptors.exec(srcset);
      candidate.lastIndex = descriptors.lastIndex;
    }
  }
}
