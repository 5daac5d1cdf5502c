/** One of the files of a `srcset` attribute; a browser loads the one that fits best. */
export interface ImageCandidate {
  readonly url: string;
  /** Such as `2x` or `640w`; empty when there is none. */
  readonly descriptor: string;
}

/**
 * Reads `srcset` as browsers do: https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute. An address ends
 * at the next space, commas in it included; its descriptors end at the next comma. An unknown descriptor is dropped, since it
 * could hold anything.
 */
export function parseSrcset(srcset: string): ImageCandidate[] {
  const candidates: ImageCandidate[] = [];
  let rest = srcset;
  for (;;) {
    rest = rest.replace(/^[\t\n\f\r ,]+/, "");
    const token = /^[^\t\n\f\r ]+/.exec(rest)?.[0];
    if (token === undefined) return candidates;
    rest = rest.slice(token.length);
    const descriptor = token.endsWith(",") ? "" : (/^[^,]*/.exec(rest)?.[0] ?? "");
    rest = rest.slice(descriptor.length);
    candidates.push({ url: withoutCommas(token), descriptor: knownDescriptor(descriptor) });
  }
}

function withoutCommas(token: string): string {
  let end = token.length;
  while (token.charAt(end - 1) === ",") end--;
  return token.slice(0, end);
}

function knownDescriptor(text: string): string {
  return /^\d+(?:\.\d+)?[wxh]$/.exec(text.trim())?.[0] ?? "";
}
