import type { Token } from "parse5";
import { mayLoad } from "../inspection/cssLoads";
import { SITE_HOST } from "../inspection/externalAddress";
import { ADDRESSES, PRESENTATION, SCRIPTS, valueOf } from "../inspection/loadingTags";
import { TagReader } from "../inspection/tagReader";
import { admittingContent, admittingSelf } from "./contentPolicy";
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
import {
  attributeEdits,
  attributeValue,
  type FoundTag,
  localName,
  type TagEditing,
  tagEdits,
} from "./tagEdits";

/** Types of scripts that are not modules: `import()` works in them, too. */
const CLASSIC = /^(?:|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/;
/** A text within the markup: of a style or a script. */
interface FoundText {
  readonly kind: "css" | "module" | "importmap";
  readonly start: number;
  readonly end: number;
  /** What it says, if it is written with entities. */
  readonly decoded?: string;
  readonly base: TextBase;
}

/** The address in an instruction of XML. */
interface FoundInstruction {
  readonly address: string;
  readonly start: number;
  readonly end: number;
  readonly base: TextBase;
}

/** An entity that XML and HTML have in common. */
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decodedEntity(_: string, name?: string, decimal?: string, digits = "0"): string {
  if (name !== undefined) return NAMED[name] ?? "";
  const code = decimal === undefined ? parseInt(digits, 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** A text as the content of an element that is markup. */
const asMarkup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** How many documents may be within each other: pages in `srcdoc`. */
const MAX_NESTED = 4;

/**
 * Finds where a page or an SVG file may refer to other hosts. It knows the same elements and attributes as the inspection; what it cannot
 * replace stays, and the inspection of the result names it.
 */
export class MarkupReferences extends TagReader {
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

  protected override get isReadingText(): boolean {
    return this.#open !== undefined;
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
    for (const { kind, start, end, decoded, base } of this.#texts) {
      const text = decoded ?? this.#source.slice(start, end);
      const change = { css: replaceInStyle, module: replaceInModule, importmap: replaceInImportMap }[kind];
      const next = change(text, base, watched);
      if (next !== text) edits.push({ start, end, text: decoded === undefined ? next : asMarkup(next) });
    }
    for (const { address, start, end, base } of this.#instructions) {
      const plain = address.replaceAll("&amp;", "&");
      const url = referenceIn(plain, base, SITE_HOST);
      const replacement = url && watched.replace({ url, kind: "style" }, base);
      if (replacement === undefined) continue;
      edits.push({
        start,
        end,
        text: attributeValue(`${replacement.address}${fragmentOf(plain)}`).replaceAll("'", "&apos;"),
      });
    }
    const editing: TagEditing = {
      isXml: this.isXml,
      replacing: watched,
      replaceInPage: (page, base) => this.#replaceInPage(page, base, watched),
    };
    for (const tag of this.#tags) {
      if (tag.element === "meta") policies.push(tag);
      else edits.push(...tagEdits(tag, editing));
    }
    if (policies.length > 0) {
      // styles and modules that the page loads, load from other hosts, too
      const { stored, inStyles } = replacing.policy?.() ?? {};
      const origins = new Set([...hosts, ...(stored ?? [])]);
      for (const { attributes, location } of policies) {
        const policy = valueOf(attributes, "content") ?? "";
        const next = admittingContent(admittingSelf(policy, origins), inStyles ?? new Set());
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
    this.place(location);
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

  /** The text of an element whose content is markup; undefined if it has elements, or entities that this does not know. */
  #within(start: number, end: number): Pick<FoundText, "start" | "end" | "decoded"> | undefined {
    const text = this.#source.slice(start, end);
    const data = /^(\s*<!\[CDATA\[)([^]*?)\]\]>\s*$/.exec(text);
    if (data) {
      const [, before = "", inner = ""] = data;
      return { start: start + before.length, end: start + before.length + inner.length };
    }
    if (text.includes("<") || text.replace(ENTITY, "").includes("&")) return undefined;
    return text.includes("&") ? { start, end, decoded: text.replace(ENTITY, decodedEntity) } : { start, end };
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

  /** A page within a page; below {@link MAX_NESTED} it stays. */
  #replaceInPage(page: string, base: TextBase, replacing: Replacing): string {
    if (this.#depth >= MAX_NESTED) return page;
    const inner = new MarkupReferences(page, base, false, this.#depth + 1);
    inner.write(page);
    inner.end();
    return inner.replaced(replacing);
  }

  #localName(name: string): string {
    return localName(name, this.isXml);
  }
}
