import type { Token } from "parse5";
import { mayLoad } from "../inspection/cssLoads";
import { SITE_HOST } from "../inspection/externalAddress";
import {
  ADDRESSES,
  FRAMES,
  LISTS,
  LOADING_RELATIONS,
  PRESENTATION,
  SCRIPTS,
  valueOf,
} from "../inspection/markupLoads";
import { MarkupReader } from "../inspection/markupReader";
import { CANDIDATE } from "../inspection/srcset";
import type { LoadKind } from "./loadKinds";
import { replaceInImportMap, replaceInModule } from "./moduleReferences";
import {
  type Edit,
  edited,
  fragmentOf,
  ownAddressIn,
  referenceIn,
  type Replacing,
  type TextBase,
} from "./references";
import { replaceInStyle } from "./styleReferences";

/** Types of scripts that are not modules: `import()` works in them, too. */
const CLASSIC = /^(?:|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/;
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
interface FoundTag {
  readonly element: string;
  readonly attributes: readonly Token.Attribute[];
  readonly location: Token.LocationWithAttributes;
  readonly isClosed: boolean;
  readonly base: TextBase;
}

/** A text within the markup: of a style or a script. */
interface FoundText {
  readonly kind: "css" | "module" | "importmap";
  readonly start: number;
  readonly end: number;
  readonly base: TextBase;
}

/** The address in an instruction of XML. */
interface FoundInstruction {
  readonly address: string;
  readonly start: number;
  readonly end: number;
  readonly base: TextBase;
}

/** How many documents may be within each other: pages in `srcdoc`. */
const MAX_NESTED = 4;

/**
 * Finds where a page or an SVG file may refer to other hosts. It knows the same elements and attributes as the inspection; what it cannot
 * replace stays, and the inspection of the result names it.
 */
export class MarkupReferences extends MarkupReader {
  /** Addresses of the page's own loads that begin with a slash: they show where the site is on its server. */
  readonly rooted: string[] = [];
  readonly #source: string;
  readonly #depth: number;
  readonly #tags: FoundTag[] = [];
  readonly #texts: FoundText[] = [];
  readonly #instructions: FoundInstruction[] = [];
  /** Addresses of modules of the site that the page loads. */
  readonly #modules: string[] = [];
  #base: TextBase;
  #hasBase = false;
  #open: { readonly kind: FoundText["kind"]; readonly start: number; readonly isMarkup: boolean } | undefined;

  constructor(source: string, base: TextBase, isXml: boolean, depth = 0) {
    super(isXml, true);
    this.#source = source;
    this.#base = base;
    this.#depth = depth;
  }

  end(): void {
    this.tokenizer.write("", true);
    this.#close(this.#source.length);
  }

  /** The text with replacements. Called after {@link end}. */
  replaced(replacing: Replacing): string {
    for (const address of this.#modules) replacing.own?.({ address });
    const hosts = new Set<string>();
    const watched: Replacing = {
      ...replacing,
      replace(reference, base) {
        const replacement = replacing.replace(reference, base);
        if (replacement !== undefined) hosts.add(reference.url.origin);
        return replacement;
      },
    };
    const edits: Edit[] = [];
    const policies: FoundTag[] = [];
    for (const { kind, start, end, base } of this.#texts) {
      const text = this.#source.slice(start, end);
      const change = { css: replaceInStyle, module: replaceInModule, importmap: replaceInImportMap }[kind];
      const next = change(text, base, watched);
      if (next !== text) edits.push({ start, end, text: next });
    }
    for (const { address, start, end, base } of this.#instructions) {
      const plain = address.replaceAll("&amp;", "&");
      const url = referenceIn(plain, base, SITE_HOST);
      const replacement = url && watched.replace({ url, kind: "style" }, base);
      if (replacement === undefined) continue;
      edits.push({
        start,
        end,
        text: escaped(`${replacement.address}${fragmentOf(plain)}`).replaceAll("'", "&apos;"),
      });
    }
    for (const tag of this.#tags) {
      if (tag.element === "meta") policies.push(tag);
      else edits.push(...this.#editsOf(tag, watched));
    }
    if (hosts.size > 0) {
      for (const { attributes, location } of policies) {
        const policy = valueOf(attributes, "content") ?? "";
        const next = admittingSelf(policy, hosts);
        if (next !== policy) edits.push(...attributeEdits(location, new Map([["content", next]])));
      }
    }
    return edited(this.#source, edits);
  }

  protected override startTag(token: Token.TagToken, isForeign: boolean): void {
    const { location } = token;
    const element = this.#localName(token.tagName).toLowerCase();
    const isOpen = !(isForeign && token.selfClosing);
    if (!location) return;
    if (element === "style" && isOpen) this.#begin("css", location.endOffset, isForeign);
    if (element === "script" && isOpen) {
      const type = (valueOf(token.attrs, "type") ?? "").trim().toLowerCase();
      const kind = CLASSIC.test(type) ? "module" : SCRIPTS.get(type);
      const isOwn = token.attrs.every(({ name }) => name !== "src" && name !== "href");
      if (isOwn && (kind === "module" || kind === "importmap")) {
        this.#begin(kind, location.endOffset, isForeign);
      }
    }
    const attributes = token.attrs;
    if (attributes.length === 0) return;
    if (element === "base") return this.#setBase(attributes);
    for (const { name, value } of attributes) {
      if (value.startsWith("/") && !value.startsWith("//") && ADDRESSES.has(`${element} ${name}`)) {
        this.rooted.push(value);
      }
    }
    if (element === "link") {
      const href = valueOf(attributes, "href") ?? "";
      if (href.startsWith("/") && !href.startsWith("//")) this.rooted.push(href);
    }
    const module = this.#moduleIn(element, attributes);
    const own = module === undefined ? undefined : ownAddressIn(module, this.#base, SITE_HOST);
    if (own !== undefined) this.#modules.push(own);
    if (!this.#mayRefer(element, attributes)) return;
    this.#tags.push({
      element,
      attributes,
      location,
      isClosed: token.selfClosing,
      base: this.#base,
    });
  }

  protected override endTag(token: Token.TagToken): void {
    if (/^(?:style|script)$/i.test(this.#localName(token.tagName))) {
      this.#close(token.location?.startOffset ?? this.#source.length);
    }
  }

  override onCharacter(): void {}

  /** In XML, an instruction may name a style sheet. */
  override onComment({ data, location }: Token.CommentToken): void {
    if (!this.isXml || !location || !/^\?xml-stylesheet\s/.test(data)) return;
    const source = this.#source.slice(location.startOffset, location.endOffset);
    const [found = "", before = "", quote = "", address = ""] =
      /(\shref\s*=\s*)(["'])(.*?)\2/s.exec(source) ?? [];
    if (found === "") return;
    const start = location.startOffset + source.indexOf(found) + before.length + quote.length;
    this.#instructions.push({ address, start, end: start + address.length, base: this.#base });
  }

  /** The address of a script that a tag loads: any script may import modules. */
  #moduleIn(element: string, attributes: readonly Token.Attribute[]): string | undefined {
    if (element === "link") {
      const relations = (valueOf(attributes, "rel") ?? "").toLowerCase().split(/\s+/);
      return relations.includes("modulepreload") ? valueOf(attributes, "href") : undefined;
    }
    if (element !== "script") return undefined;
    return valueOf(attributes, "src") ?? valueOf(attributes, "href");
  }

  #begin(kind: FoundText["kind"], start: number, isMarkup: boolean): void {
    this.#open = { kind, start, isMarkup };
  }

  #close(at: number): void {
    if (this.#open === undefined) return;
    const { kind, start, isMarkup } = this.#open;
    this.#open = undefined;
    const found = isMarkup ? this.#within(start, at) : { start, end: at };
    if (found) this.#texts.push({ kind, ...found, base: this.#base });
  }

  /** The text of an element whose content is markup; undefined if the text is not as it is written. */
  #within(start: number, end: number): { start: number; end: number } | undefined {
    const text = this.#source.slice(start, end);
    const data = /^(\s*<!\[CDATA\[)([^]*?)\]\]>\s*$/.exec(text);
    if (data) {
      const [, before = "", inner = ""] = data;
      return { start: start + before.length, end: start + before.length + inner.length };
    }
    return /[&<]/.test(text) ? undefined : { start, end };
  }

  #setBase(attributes: readonly Token.Attribute[]): void {
    const address = valueOf(attributes, "href");
    if (address === undefined || this.#hasBase) return;
    this.#hasBase = true;
    const url = URL.parse(address, this.#base.url);
    if (url === null || !/^https?:$/.test(url.protocol)) return;
    this.#base = { ...this.#base, href: url.href, isRooted: /^\s*\/(?!\/)/.test(address) };
  }

  /** Whether a tag may refer to another host: a quick look, so that few tags are kept. */
  #mayRefer(element: string, attributes: readonly Token.Attribute[]): boolean {
    if (element === "meta") return /^content-security-policy$/i.test(valueOf(attributes, "http-equiv") ?? "");
    return attributes.some(
      ({ name, value }) =>
        name === "srcdoc" ||
        (PRESENTATION.test(this.#localName(name)) && mayLoad(value)) ||
        // browsers remove line breaks, and read a backslash as a slash
        /[:\\\t\n\r]|\/\//.test(value) ||
        !this.#base.href.startsWith(`https://${SITE_HOST}/`),
    );
  }

  #editsOf({ element, attributes, location, isClosed, base }: FoundTag, replacing: Replacing): Edit[] {
    const changes = new Map<string, string | undefined>();
    const integrity = valueOf(attributes, "integrity");
    const seen = { isReplaced: false, isLeft: false };
    const replaced = (address: string, kind: LoadKind): string | undefined => {
      const url = referenceIn(address, base, SITE_HOST);
      if (url === undefined) return undefined;
      const replacement = replacing.replace({ url, kind, integrity }, base);
      if (replacement === undefined) {
        seen.isLeft = true;
        return undefined;
      }
      seen.isReplaced = true;
      if (replacement.integrity !== undefined) changes.set("integrity", replacement.integrity);
      return `${replacement.address}${fragmentOf(address)}`;
    };
    if (element === "link") {
      const left = this.#linkEdits(
        { element, attributes, location, isClosed, base },
        replacing,
        changes,
        replaced,
      );
      if (left === "removed") return [{ start: location.startOffset, end: location.endOffset, text: "" }];
    }
    for (const { name: given, value } of attributes) {
      const name = this.#localName(given);
      const place = `${element} ${this.isXml ? name : given}`;
      if (ADDRESSES.has(place) || (this.isXml && ADDRESSES.has(`${element} ${given}`))) {
        const kind = name === "poster" || name === "background" ? "image" : kindOf(element, attributes);
        const next =
          name === "values"
            ? value
                .split(";")
                .map((each) => replaced(each, kind) ?? each)
                .join(";")
            : (replaced(value, kind) ?? value);
        if (next !== value) changes.set(given, next);
      } else if (LISTS.test(place)) {
        const next = value.replace(CANDIDATE, (whole, address: string) => {
          const found = replaced(address, "image");
          return found === undefined ? whole : whole.replace(address, () => found);
        });
        if (next !== value) changes.set(given, next);
      } else if (PRESENTATION.test(name)) {
        const next = replaceInStyle(value, base, replacing);
        if (next !== value) changes.set(given, next);
      } else if (name === "srcdoc" && element === "iframe" && this.#depth < MAX_NESTED) {
        const inner = new MarkupReferences(value, base, false, this.#depth + 1);
        inner.write(value);
        inner.end();
        const next = inner.replaced(replacing);
        if (next !== value) changes.set(given, next);
      }
    }
    // of the copy's own host now; what a preload is for must be requested in the same way, and fonts are requested without credentials
    const isForFont = element === "link" && /^(?:font|fetch)$/i.test(valueOf(attributes, "as") ?? "");
    if (seen.isReplaced && !seen.isLeft && !isForFont && valueOf(attributes, "crossorigin") !== undefined) {
      changes.set("crossorigin", undefined);
    }
    return attributeEdits(location, changes);
  }

  /** @returns "removed" for a link that only opens a connection */
  #linkEdits(
    { attributes, isClosed }: FoundTag,
    replacing: Replacing,
    changes: Map<string, string | undefined>,
    replaced: (address: string, kind: LoadKind) => string | undefined,
  ): "removed" | "kept" {
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
      if (others.length === 0 && (!this.isXml || isClosed)) return "removed";
      if (others.length === 0) changes.set("href", undefined);
      else changes.set("rel", others.join(" "));
    }
    const loading = relations.filter((each) => LOADING_RELATIONS.has(each) && !CONNECTIONS.test(each));
    const [relation] = loading;
    if (relation === undefined) return "kept";
    const kinds = loading.map((each) => BY_RELATION[each]).filter((each) => each !== undefined);
    const destination = (valueOf(attributes, "as") ?? "").toLowerCase();
    const found = replaced(href, kinds[0] ?? BY_DESTINATION[destination] ?? "any");
    if (found !== undefined) changes.set("href", found);
    return "kept";
  }

  /** Without the prefix of a namespace. */
  #localName(name: string): string {
    return this.isXml ? name.slice(name.indexOf(":") + 1) : name;
  }
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
function attributeEdits(
  { attrs = {} }: Token.LocationWithAttributes,
  changes: ReadonlyMap<string, string | undefined>,
): Edit[] {
  return [...changes].flatMap(([name, value]): Edit[] => {
    const at = attrs[name];
    if (at === undefined) return [];
    const text = value === undefined ? "" : `${name}="${escaped(value)}"`;
    return [{ start: at.startOffset, end: at.endOffset, text }];
  });
}

/** The value of an attribute between double quotes. */
function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/**
 * A content security policy that also admits the copy's own host wherever it admits a host whose files are now there.
 *
 * @param origins of what was replaced
 */
function admittingSelf(policy: string, origins: ReadonlySet<string>): string {
  return policy
    .split(";")
    .map((directive) => {
      const [name = "", ...sources] = directive.trim().split(/\s+/);
      if (!/-src(?:-elem|-attr)?$/i.test(name) || sources.some((each) => /^(?:'self'|\*)$/i.test(each))) {
        return directive;
      }
      const admits = sources.some((source) => [...origins].some((origin) => admitsOrigin(source, origin)));
      return admits ? `${directive.trimEnd()} 'self'` : directive;
    })
    .join(";");
}

function admitsOrigin(source: string, origin: string): boolean {
  const { protocol, host, hostname } = new URL(origin);
  if (source.endsWith(":")) return source.toLowerCase() === protocol;
  const [, scheme = protocol, pattern = ""] =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/]+)/i.exec(source.toLowerCase()) ?? [];
  if (scheme !== protocol) return false;
  const bare = pattern.replace(/:(?:\d+|\*)$/, "");
  if (bare.startsWith("*.")) return hostname.endsWith(bare.slice(1));
  return pattern === host || bare === hostname;
}
