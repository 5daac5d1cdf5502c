import { SITE_BASE } from "./externalAddress";

/** `json`: lists of addresses, from speculation rules. `module`: a module script. */
export type TextKind = "html" | "xml" | "css" | "json" | "importmap" | "manifest" | "module";

/** A text to inspect: a file, or a text embedded in another one. */
export interface InspectedText {
  readonly kind: TextKind;
  readonly text: string;
  /** The base URL of its addresses. */
  readonly base: string;
}

const KINDS: readonly (readonly [type: RegExp, kind: TextKind])[] = [
  [/^text\/html\b/i, "html"],
  [/^(?:(?:text|application)\/xml|[^;]*\+xml)\b/i, "xml"],
  [/^text\/css\b/i, "css"],
  [/^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i, "module"],
];

/** The page, SVG file, style or module in a `data:` address. */
export function embeddedIn(address: string): InspectedText | undefined {
  if (!/^[\0- ]*d[\t\n\r]*a/i.test(address)) return undefined;
  const url = URL.parse(address);
  if (url?.protocol !== "data:") return undefined;
  const body = `${url.pathname}${url.search}`;
  const comma = body.indexOf(",");
  const type = body.slice(0, comma).trim();
  const kind = KINDS.find(([pattern]) => pattern.test(type))?.[1];
  if (comma < 0 || kind === undefined) return undefined;
  // in a parsed address, all other characters are ASCII
  const bytes = body
    .slice(comma + 1)
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  const text = Buffer.from(bytes, /;\s*base64$/i.test(type) ? "base64" : "latin1").toString();
  return { kind, text, base: SITE_BASE };
}

/** The value of a JSON text; `undefined` if it is none. It may be nested to any depth. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The addresses in a JSON text: all its strings; of a manifest, those named `src`. Invalid JSON loads nothing. */
export function jsonAddresses(text: string, kind: "json" | "importmap" | "manifest"): string[] {
  const found: string[] = [];
  // no recursion, because it may be as deep as it is long
  for (const open: [name: string, value: unknown][] = [["", jsonIn(text)]]; open.length > 0;) {
    const [name, each] = open.pop() ?? ["", undefined];
    if (typeof each === "string" && (kind !== "manifest" || name === "src")) found.push(each);
    else if (typeof each === "object" && each !== null) {
      for (const entry of Object.entries(each).reverse()) open.push(entry);
    }
  }
  return found;
}

/**
 * Replaces the entities that an XML text declares, as browsers do.
 *
 * @returns `undefined` when an entity refers to others, or when the result would be too long
 */
export function withEntities(xml: string, mostCharacters: number): string | undefined {
  const count = xml.split("<!ENTITY").length - 1;
  if (count === 0) return xml;
  const values = new Map<string, string>();
  for (const [, name = "", one, other] of xml.matchAll(
    /<!ENTITY\s+([^\s%]\S*)\s+(?:"([^"]*)"|'([^']*)')\s*>/g,
  )) {
    values.set(name, one ?? other ?? "");
  }
  if (values.size !== count || /[&%]/.test([...values.values()].join(""))) return undefined;
  let length = xml.length;
  const text = xml.replace(/&([^;&\s<]+);/g, (reference, name: string) => {
    const value = values.get(name);
    length += value?.length ?? 0;
    return value === undefined || length > mostCharacters ? reference : value;
  });
  return length > mostCharacters ? undefined : text;
}
