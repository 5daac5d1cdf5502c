import type { Token } from "parse5";
import { SITE_HOST } from "../inspection/externalAddress";
import {
  ADDRESSES,
  FRAMES,
  LISTS,
  LOADING_RELATIONS,
  PRESENTATION,
  SCRIPTS,
  valueOf,
} from "../inspection/loadingTags";
import { CANDIDATE } from "../inspection/srcset";
import type { LoadKind } from "./loadKinds";
import { type Edit, fragmentOf, referenceIn, type Replacing, type TextBase } from "./references";
import { replaceInStyle } from "./styleReferences";

/** Early connections, which load nothing themselves. */
const CONNECTIONS = /^(?:preconnect|dns-prefetch)$/;
/** What a `<link>` with this relation loads. */
const BY_RELATION: Readonly<Record<string, LoadKind>> = {
  stylesheet: "style",
  icon: "image",
  "apple-touch-icon": "image",
  "apple-touch-icon-precomposed": "image",
  "apple-touch-startup-image": "image",
  "mask-icon": "image",
  manifest: "manifest",
  modulepreload: "module",
  prerender: "document",
};
/** What a `<link rel=preload as=…>` loads. */
const BY_DESTINATION: Readonly<Record<string, LoadKind>> = {
  script: "script",
  style: "style",
  font: "font",
  image: "image",
  audio: "media",
  video: "media",
  track: "track",
  json: "json",
  document: "document",
  iframe: "document",
};
const BY_ELEMENT: Readonly<Record<string, LoadKind>> = {
  script: "script",
  audio: "media",
  video: "media",
  source: "media",
  bgsound: "media",
  track: "track",
};

/** A tag that may refer to other hosts. */
export interface FoundTag {
  readonly element: string;
  readonly attributes: readonly Token.Attribute[];
  readonly location: Token.LocationWithAttributes;
  readonly isClosed: boolean;
  readonly base: TextBase;
}

/** What the edits of a tag depend on beside the tag. */
export interface TagEditing {
  readonly isXml: boolean;
  readonly replacing: Replacing;
  /** Replaces in a page within the page: in `srcdoc`. */
  readonly replaceInPage: (page: string, base: TextBase) => string;
}

/** Replaces the addresses in a tag. */
export function tagEdits(tag: FoundTag, editing: TagEditing): Edit[] {
  return new TagEdits(tag, editing).edits();
}

class TagEdits {
  readonly #tag: FoundTag;
  readonly #editing: TagEditing;
  readonly #integrity: string | undefined;
  /** The new values of attributes, or none. */
  readonly #changes = new Map<string, string | undefined>();
  #isReplaced = false;
  /** An address of another host stays. */
  #isLeft = false;

  constructor(tag: FoundTag, editing: TagEditing) {
    this.#tag = tag;
    this.#editing = editing;
    this.#integrity = valueOf(tag.attributes, "integrity");
  }

  edits(): Edit[] {
    const { element, attributes, location } = this.#tag;
    if (element === "link" && this.#changeLink() === "removed") {
      return [{ start: location.startOffset, end: location.endOffset, text: "" }];
    }
    for (const { name, value } of attributes) {
      const next = this.#valueFor(name, value);
      if (next !== value) this.#changes.set(name, next);
    }
    // of the copy's own host now; what a preload is for must be requested in the same way, and fonts are requested without credentials
    const isForFont = element === "link" && /^(?:font|fetch)$/i.test(valueOf(attributes, "as") ?? "");
    const hasCors = valueOf(attributes, "crossorigin") !== undefined;
    if (this.#isReplaced && !this.#isLeft && !isForFont && hasCors) {
      this.#changes.set("crossorigin", undefined);
    }
    return attributeEdits(location, this.#changes);
  }

  /** @returns the address that takes its place; undefined if it stays */
  #replaced(address: string, kind: LoadKind): string | undefined {
    const { base } = this.#tag;
    const url = referenceIn(address, base, SITE_HOST);
    if (url === undefined) return undefined;
    const replacement = this.#editing.replacing.replace({ url, kind, integrity: this.#integrity }, base);
    if (replacement === undefined) {
      this.#isLeft = true;
      return undefined;
    }
    this.#isReplaced = true;
    if (replacement.integrity !== undefined) this.#changes.set("integrity", replacement.integrity);
    return `${replacement.address}${fragmentOf(address)}`;
  }

  /** The value of an attribute with its addresses replaced. */
  #valueFor(given: string, value: string): string {
    const { element, attributes, base } = this.#tag;
    const { isXml, replacing, replaceInPage } = this.#editing;
    const name = localName(given, isXml);
    const place = `${element} ${name}`;
    if (ADDRESSES.has(place) || (isXml && ADDRESSES.has(`${element} ${given}`))) {
      const kind = name === "poster" || name === "background" ? "image" : kindOf(element, attributes);
      const replace = (address: string): string => this.#replaced(address, kind) ?? address;
      return name === "values" ? value.split(";").map(replace).join(";") : replace(value);
    }
    if (LISTS.test(place)) {
      return value.replace(CANDIDATE, (whole, address: string) => {
        const found = this.#replaced(address, "image");
        return found === undefined ? whole : whole.replace(address, () => found);
      });
    }
    if (PRESENTATION.test(name)) return replaceInStyle(value, base, replacing);
    if (name === "srcdoc" && element === "iframe") return replaceInPage(value, base);
    return value;
  }

  /** @returns "removed" for a link that only opens a connection */
  #changeLink(): "removed" | "kept" {
    const { attributes, isClosed } = this.#tag;
    const { isXml, replacing } = this.#editing;
    const href = valueOf(attributes, "href");
    const relations = (valueOf(attributes, "rel") ?? "")
      .toLowerCase()
      .split(/[\t\n\f\r ]+/)
      .filter(Boolean);
    if (href === undefined) return "kept";
    const url = URL.parse(href, `https://${SITE_HOST}/`);
    const isConnection = relations.some((each) => CONNECTIONS.test(each));
    if (isConnection && url !== null && url.host !== SITE_HOST && replacing.dropsConnection(url)) {
      const others = relations.filter((each) => !CONNECTIONS.test(each));
      if (others.length === 0 && (!isXml || isClosed)) return "removed";
      if (others.length === 0) this.#changes.set("href", undefined);
      else this.#changes.set("rel", others.join(" "));
    }
    const loading = relations.filter((each) => LOADING_RELATIONS.has(each) && !CONNECTIONS.test(each));
    const [relation] = loading;
    if (relation === undefined) return "kept";
    const kinds = loading.map((each) => BY_RELATION[each]).filter((each) => each !== undefined);
    const destination = (valueOf(attributes, "as") ?? "").toLowerCase();
    const found = this.#replaced(href, kinds[0] ?? BY_DESTINATION[destination] ?? "any");
    if (found !== undefined) this.#changes.set("href", found);
    return "kept";
  }
}

/** The name of an element or attribute without the prefix of a namespace, which only XML has. */
export function localName(name: string, isXml: boolean): string {
  return isXml ? name.slice(name.indexOf(":") + 1) : name;
}

function kindOf(element: string, attributes: readonly Token.Attribute[]): LoadKind {
  if (FRAMES.test(element)) return "document";
  if (
    element === "script" &&
    SCRIPTS.get((valueOf(attributes, "type") ?? "").trim().toLowerCase()) === "module"
  ) {
    return "module";
  }
  return BY_ELEMENT[element] ?? "image";
}

/** Changes of a tag's attributes: another value, or none. */
export function attributeEdits(
  { attrs = {} }: Token.LocationWithAttributes,
  changes: ReadonlyMap<string, string | undefined>,
): Edit[] {
  return [...changes].flatMap(([name, value]): Edit[] => {
    const at = attrs[name];
    if (at === undefined) return [];
    const text = value === undefined ? "" : `${name}="${attributeValue(value)}"`;
    return [{ start: at.startOffset, end: at.endOffset, text }];
  });
}

/** The value of an attribute between double quotes. */
export function attributeValue(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
