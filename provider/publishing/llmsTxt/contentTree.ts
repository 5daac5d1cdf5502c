import type { Token } from "parse5";
import { type ContentElement, firstBelow } from "./contentElement";
import { isCode, isLeftOut, isMain, isMeant, standsApart } from "./contentRules";

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements that are no part of the content, while what is in them may be. */
const STRUCTURE = new Set(["html", "head", "body", "meta", "base", "link"]);
/** Elements that only style what is in them. Outside of code, their classes mean nothing here. */
const PLAIN = new Set("span font small big tt bdi center nobr data time output".split(" "));
/** Elements that end an open paragraph. */
const ENDS_PARAGRAPH = new Set(
  (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr main menu nav ol p pre search section summary table ul"
  ).split(" "),
);
/** For each element, the open elements that it ends, and those that protect open elements around them. */
const ENDS: Readonly<
  Record<string, { readonly ends: readonly string[]; readonly within: readonly string[] }>
> = {
  li: { ends: ["li"], within: ["ul", "ol", "menu", "dir", "td", "th"] },
  dt: { ends: ["dt", "dd"], within: ["dl", "td", "th"] },
  dd: { ends: ["dt", "dd"], within: ["dl", "td", "th"] },
  td: { ends: ["td", "th"], within: ["tr", "table"] },
  th: { ends: ["td", "th"], within: ["tr", "table"] },
  tr: { ends: ["tr", "caption", "colgroup"], within: ["table"] },
  thead: { ends: ["thead", "tbody", "tfoot", "caption", "colgroup"], within: ["table"] },
  tbody: { ends: ["thead", "tbody", "tfoot", "caption", "colgroup"], within: ["table"] },
  tfoot: { ends: ["thead", "tbody", "tfoot", "caption", "colgroup"], within: ["table"] },
  a: { ends: ["a"], within: ["td", "th", "li", "div", "section"] },
};
/** What protects an open paragraph from what ends one. */
const AROUND_PARAGRAPHS = [
  "td",
  "th",
  "caption",
  "li",
  "dd",
  "dt",
  "blockquote",
  "div",
  "section",
  "main",
  "article",
];
/** End tags of other elements do not reach out of these. */
const CLOSED = new Set(["td", "th", "caption", "table"]);
const OF_TABLES = new Set(["table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"]);
/** Elements with no other content than parts of tables. */
const ONLY_PARTS = new Set(["table", "thead", "tbody", "tfoot", "tr"]);
const HEADING = /^h[1-6]$/;

/** Deeper elements are read as parts of the one at this depth: browsers have such a limit, too. */
const MOST_LEVELS = 256;
/** Further elements of a page are read as their text. */
const MOST_ELEMENTS = 400_000;

/**
 * The content of a page as a tree: without navigation, scripts and what else is not content. It gets the tags of a `MarkupReader`. It is
 * built by simpler rules than a browser's: each tag costs a bounded time, whatever the page has.
 */
export class ContentTree {
  /** The description that the page has for search engines; empty without one. */
  description = "";
  /** The address of `<base href>`. */
  base: string | undefined;
  /** Whether a script of the page finds mathematics in its texts. */
  hasMathInTexts = false;
  readonly #root: ContentElement = { tag: "body", attributes: [], children: [] };
  readonly #open: ContentElement[] = [this.#root];
  /** Open elements that are too deep, or too many: their tags. */
  readonly #flat: string[] = [];
  /** Main parts that are in no other, and articles that are in no article and no main part. */
  readonly #mains: ContentElement[] = [];
  readonly #articles: ContentElement[] = [];
  /** Where the open ones are in the list of open elements. */
  #mainAt = Infinity;
  #articleAt = Infinity;
  #codeAt = Infinity;
  /** Number of open elements of {@link PLAIN} that are a part of the tree. */
  #plain = 0;
  #skipped: { readonly tag: string; depth: number } | undefined;
  #elements = 0;

  /** The content: the main parts; without them the only article, if the page's title is not beside it; else the body. */
  get content(): ContentElement {
    const [article, ...others] = this.#articles;
    if (this.#mains.length > 0) return { ...this.#root, children: this.#mains };
    const isWhole = article && others.length === 0 && (has(article, isTitle) || !has(this.#root, isTitle));
    return isWhole ? article : this.#root;
  }

  startTag({ tagName: tag, attrs: attributes, selfClosing }: Token.TagToken, isForeign: boolean): void {
    const isVoid = VOID.has(tag) || (isForeign && selfClosing);
    if (tag === "script") this.hasMathInTexts ||= isMathScript(attributes);
    if (this.#skipped) {
      if (this.#skipped.tag === tag && !isVoid) this.#skipped.depth++;
      return;
    }
    if (STRUCTURE.has(tag)) {
      this.#headTag(tag, attributes);
      return;
    }
    const element: ContentElement = { tag, attributes, children: [] };
    const place = { isInMain: this.#mainAt < Infinity, isInCode: this.#codeAt < Infinity };
    if (isLeftOut(element, this.#open, place)) {
      if (!isVoid) this.#skipped = { tag, depth: 1 };
      return;
    }
    if (PLAIN.has(tag) && this.#plain === 0 && !isMeant(element)) {
      if (!place.isInCode && standsApart(element)) this.text(" ");
      return;
    }
    this.#endBefore(tag);
    const parent = this.#parentOf(tag);
    if (isVoid) {
      parent.children.push(element);
      return;
    }
    if (this.#open.length >= MOST_LEVELS || ++this.#elements > MOST_ELEMENTS) {
      if (!ENDS_PARAGRAPH.has(tag)) return;
      this.#flat.push(tag);
      this.text("\n");
      return;
    }
    if (isMain(element) && !place.isInMain) {
      this.#mainAt = this.#open.length;
      this.#mains.push(element);
    } else if (tag === "article" && !place.isInMain && this.#articleAt === Infinity) {
      this.#articleAt = this.#open.length;
      this.#articles.push(element);
    } else if (!place.isInCode && isCode(element)) this.#codeAt = this.#open.length;
    if (PLAIN.has(tag)) this.#plain++;
    parent.children.push(element);
    this.#open.push(element);
  }

  endTag({ tagName: tag }: Token.TagToken): void {
    if (this.#skipped) {
      if (this.#skipped.tag === tag && --this.#skipped.depth === 0) this.#skipped = undefined;
      return;
    }
    if (this.#flat.length > 0 && ENDS_PARAGRAPH.has(tag)) {
      if (this.#flat.at(-1) === tag) this.#flat.pop();
      return;
    }
    if (PLAIN.has(tag) && this.#plain === 0) return;
    const isOfTables = OF_TABLES.has(tag);
    for (let at = this.#open.length - 1; at > 0; at--) {
      const open = this.#open[at]?.tag ?? "";
      if (open === tag || (HEADING.test(tag) && HEADING.test(open))) return this.#endFrom(at);
      if (isOfTables ? open === "table" : CLOSED.has(open)) return;
    }
  }

  text(chars: string): void {
    if (this.#skipped) return;
    const { children } = /\S/.test(chars) ? this.#parentOf("") : (this.#open.at(-1) ?? this.#root);
    const last = children.at(-1);
    if (typeof last === "string") children[children.length - 1] = last + chars;
    else children.push(chars);
  }

  /** Where an element or text belongs: what a table cannot have belongs to what is around the table. */
  #parentOf(tag: string): ContentElement {
    let at = this.#open.length - 1;
    if (!OF_TABLES.has(tag)) while (at > 0 && ONLY_PARTS.has(this.#open[at]?.tag ?? "")) at--;
    return this.#open[at] ?? this.#root;
  }

  #headTag(tag: string, attributes: readonly Token.Attribute[]): void {
    const attribute = (name: string): string | undefined =>
      attributes.find((each) => each.name === name)?.value;
    if (tag === "base") this.base ??= attribute("href");
    else if (tag === "meta" && /^description$/i.test(attribute("name") ?? "")) {
      this.description ||= attribute("content") ?? "";
    }
  }

  #endBefore(tag: string): void {
    if (ENDS_PARAGRAPH.has(tag)) this.#end(["p"], AROUND_PARAGRAPHS);
    const rule = ENDS[tag];
    if (rule) this.#end(rule.ends, rule.within);
  }

  /** Ends the innermost open element of these tags, unless one of the others is inside it. */
  #end(tags: readonly string[], within: readonly string[]): void {
    for (let at = this.#open.length - 1; at > 0; at--) {
      const tag = this.#open[at]?.tag ?? "";
      if (tags.includes(tag)) return this.#endFrom(at);
      if (within.includes(tag)) return;
    }
  }

  #endFrom(at: number): void {
    if (this.#plain > 0) {
      for (let index = at; index < this.#open.length; index++) {
        if (PLAIN.has(this.#open[index]?.tag ?? "")) this.#plain--;
      }
    }
    this.#open.length = at;
    if (this.#mainAt >= at) this.#mainAt = Infinity;
    if (this.#articleAt >= at) this.#articleAt = Infinity;
    if (this.#codeAt >= at) this.#codeAt = Infinity;
  }
}

function isTitle({ tag }: ContentElement): boolean {
  return tag === "h1";
}

function has(element: ContentElement, fits: (element: ContentElement) => boolean): boolean {
  return firstBelow(element, fits) !== undefined;
}

function isMathScript(attributes: readonly Token.Attribute[]): boolean {
  return attributes.some(({ name, value }) => name === "src" && /mathjax|katex/i.test(value));
}
