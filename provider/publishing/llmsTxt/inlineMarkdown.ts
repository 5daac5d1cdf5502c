import { BLOCK } from "./blockElements";
import {
  attributeOf,
  classesOf,
  type ContentElement,
  type ContentNode,
  firstBelow,
  textOf,
} from "./contentElement";
import { destination } from "./escape";
import { InlineText } from "./inlineText";
import { mathIn, mathInText, type MathText } from "./mathText";
import type { Prepared } from "./prepareContent";

/** Encloses the address of a link in Markdown that is not placed yet, see `placed`: no page can contain it. */
export const LINK_MARK = "\0";

const STRONG = new Set(["strong", "b"]);
const EMPHASIS = new Set(["em", "i", "cite", "dfn", "var"]);
const DELETED = new Set(["del", "s", "strike"]);
/** Elements without a mark in Markdown that a reader needs. */
const KEPT = new Set(["kbd", "sub", "sup"]);
/** Symbols that generators put beside a heading. */
const PERMALINK = /^[\s¶#§🔗\u200b]*$/u;

/** Where a text is. */
export interface InlinePlace {
  readonly isInHeading?: boolean;
  readonly isInCell?: boolean;
  readonly isInLink?: boolean;
}

/** What holds for the text of an element in another one. */
interface Inside {
  readonly isInHeading: boolean;
  readonly isInCell: boolean;
  readonly isInLink: boolean;
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
}

/** Writes the texts of a page in one line each. */
export class InlineMarkdown {
  readonly #prepared: Prepared;
  readonly #hasMathInTexts: boolean;
  /** The id of the innermost element that began since the last text. Empty without one. */
  anchor = "";

  /** @param hasMathInTexts whether texts may have mathematics */
  constructor(prepared: Prepared, hasMathInTexts: boolean) {
    this.#prepared = prepared;
    this.#hasMathInTexts = hasMathInTexts;
  }

  textOf(
    nodes: readonly ContentNode[],
    { isInHeading = false, isInCell = false, isInLink = false }: InlinePlace = {},
  ): string {
    const inline = new InlineText({ isInLink, isInCell });
    this.#write(nodes, inline, { isInHeading, isInCell, isInLink, isStrong: isInHeading, isEmphasis: false });
    return inline.line;
  }

  #write(nodes: readonly ContentNode[], inline: InlineText, place: Inside): void {
    for (const node of nodes) {
      if (typeof node === "string") {
        if (this.#hasMathInTexts) this.#writeText(node, inline, place);
        else inline.words(node);
        if (this.anchor !== "" && node.trim() !== "") this.anchor = "";
      } else this.#writeElement(node, inline, place);
    }
  }

  #writeText(text: string, inline: InlineText, place: Inside): void {
    for (const part of mathInText(text)) {
      if (typeof part === "string") inline.words(part);
      else writeMath(part, inline, place);
    }
  }

  #writeElement(element: ContentElement, inline: InlineText, place: Inside): void {
    const { tag, children } = element;
    if (this.#prepared.skipped.has(element)) return;
    const math = mathIn(element);
    if (math) return writeMath(math, inline, place);
    if (STRONG.has(tag) && !place.isStrong) {
      inline.marked("**", "strong", (inner) => this.#write(children, inner, { ...place, isStrong: true }));
    } else if (EMPHASIS.has(tag) && !place.isEmphasis) {
      inline.marked("*", "em", (inner) => this.#write(children, inner, { ...place, isEmphasis: true }));
    } else if (DELETED.has(tag)) {
      inline.marked("~~", "del", (inner) => this.#write(children, inner, place));
    } else if (KEPT.has(tag)) this.#keep(element, inline, place);
    else if (tag === "code" || tag === "samp") this.#code(children, inline, place);
    else if (tag === "a") this.#link(element, inline, place);
    else if (tag === "img") this.#image(element, inline);
    else if (tag === "br") {
      if (place.isInHeading || place.isInLink) inline.space();
      else inline.lineBreak();
    } else if (tag === "q") this.#between("“", children, "”", inline, place);
    else if (tag === "ruby" && isWithoutParentheses(element)) {
      for (const child of children) {
        if (typeof child !== "string" && child.tag === "rt") {
          this.#between("(", child.children, ")", inline, place);
        } else this.#write([child], inline, place);
      }
    } else if (tag === "svg") this.#drawing(element, inline, place);
    else {
      const isApart = BLOCK.has(tag);
      if (isApart) inline.space();
      this.#write(children, inline, place);
      if (isApart) inline.space();
    }
  }

  #between(
    opening: string,
    nodes: readonly ContentNode[],
    closing: string,
    inline: InlineText,
    place: Inside,
  ): void {
    inline.markup(opening, opening);
    this.#write(nodes, inline, place);
    inline.markup(closing, closing);
  }

  /** Code in a line. What is a link in it is one around code. */
  #code(nodes: readonly ContentNode[], inline: InlineText, place: Inside): void {
    let run = "";
    const endRun = (): void => {
      if (run.trim() !== "") this.anchor = "";
      inline.code(run);
      run = "";
    };
    const see = (node: ContentNode): void => {
      if (typeof node === "string" || firstOf(node, isLink) === undefined) run += textOf(node);
      else if (!isLink(node)) for (const child of node.children) see(child);
      else {
        endRun();
        const code: ContentElement = { tag: "code", attributes: [], children: node.children };
        this.#link({ tag: "a", attributes: node.attributes, children: [code] }, inline, place);
      }
    };
    if (place.isInLink) run = nodes.map(textOf).join("");
    else for (const node of nodes) see(node);
    endRun();
  }

  #keep(element: ContentElement, inline: InlineText, place: Inside): void {
    const { tag, children } = element;
    const reference = tag === "sup" && firstBelow(element, (each) => this.#prepared.references.has(each));
    // some have their brackets around the link
    const isBracket = (node: ContentNode): boolean => typeof node === "string" && /^\s*[[\]]\s*$/.test(node);
    if (reference) {
      return this.#write(
        children.filter((child) => !isBracket(child)),
        inline,
        place,
      );
    }
    const inner = new InlineText(place);
    this.#write(children, inner, place);
    inline.enclose(inner, (text) => inline.markup(`<${tag}>${text}</${tag}>`, "<"));
  }

  #link(element: ContentElement, inline: InlineText, place: Inside): void {
    const { children } = element;
    const note = this.#prepared.references.get(element);
    if (note !== undefined) {
      inline.markup(`[^${note}]`, "[");
      return;
    }
    const address = attributeOf(element, "href");
    const isPlain =
      address === undefined || place.isInLink || /^\s*(?:javascript|data|vbscript):/i.test(address);
    if (isPlain) return this.#write(children, inline, place);
    const inner = new InlineText({ isInCell: place.isInCell, isInLink: true });
    this.#write(children, inner, { ...place, isInLink: true });
    const isOfPage = address.startsWith("#");
    const link = (text: string): void =>
      inline.markup(`[${text}](${LINK_MARK}${destination(address)}${LINK_MARK})`, "[");
    inline.enclose(inner, (text) => {
      // in a heading, it is the address of the heading itself
      if (!place.isInHeading || !isOfPage) link(text);
      else if (!PERMALINK.test(text)) inline.markup(text, text[0]);
    });
    // shown as an icon: one to a place of the page is not needed
    const named = attributeOf(element, "aria-label") ?? attributeOf(element, "title") ?? "";
    if (inner.line === "" && !isOfPage && named.trim() !== "") link(bracketed(named));
  }

  #image(element: ContentElement, inline: InlineText): void {
    const source = attributeOf(element, "src") ?? attributeOf(element, "data-src") ?? "";
    const alt = attributeOf(element, "alt") ?? "";
    if (/(?:^|\s)math(?=\s|$)/.test(classesOf(element)) && alt.trim() !== "") {
      inline.markup(`$${alt.replace(/\s+/g, " ").trim()}$`, "$");
      return;
    }
    const isEmbedded = /^\s*(?:data|blob):/i.test(source) || source === "";
    if (isEmbedded && alt.trim() === "") return;
    inline.markup(
      `![${bracketed(alt)}](${isEmbedded ? "" : `${LINK_MARK}${destination(source)}${LINK_MARK}`})`,
      "!",
    );
  }

  /** The words of a drawing. */
  #drawing(element: ContentElement, inline: InlineText, place: Inside): void {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (child.tag === "style" || child.tag === "title" || child.tag === "defs") continue;
      if (/^(?:text|foreignobject)$/i.test(child.tag)) {
        inline.space();
        this.#write(child.children, inline, place);
        inline.space();
      } else this.#drawing(child, inline, place);
    }
  }
}

function writeMath({ source, isBlock }: MathText, inline: InlineText, { isInCell }: Inside): void {
  const line = source.replace(/\s+/g, " ");
  const mark = isBlock ? "$$" : "$";
  inline.markup(`${mark}${isInCell ? line.replaceAll("|", "\\|") : line}${mark}`, "$");
}

function isLink(element: ContentElement): boolean {
  return element.tag === "a" && attributeOf(element, "href") !== undefined;
}

/** An element that fits, or the first one below it. */
function firstOf(
  element: ContentElement,
  fits: (element: ContentElement) => boolean,
): ContentElement | undefined {
  return fits(element) ? element : firstBelow(element, fits);
}

/** A text of an attribute between brackets. */
function bracketed(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[[\]\\`*_<]/g, "\\$&");
}

/** Whether readings would stand behind their characters without a mark. */
function isWithoutParentheses(ruby: ContentElement): boolean {
  return firstBelow(ruby, ({ tag }) => tag === "rp") === undefined;
}
