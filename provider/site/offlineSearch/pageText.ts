import { type Token, TokenizerMode } from "parse5";
import { MarkupReader } from "../inspection/markupReader";
import type { Section } from "../search/textIndex";
import { beginning } from "../search/words";

/** What a page contributes to its site's search. */
export type PageText = ReturnType<PageReader["end"]>;

/** Elements whose text is no content, wherever they are. */
const NEVER = new Set(
  "script style noscript template svg math iframe object canvas audio video textarea select button datalist dialog nav".split(
    " ",
  ),
);
/** Elements whose text is no content outside of the main part. */
const AROUND = new Set(["header", "footer", "aside", "form"]);
/** Classes of what surrounds the content in generators that do not use the elements for it. */
const AROUND_CLASS =
  /(?:^|\s)(?:navheader|navfooter|sphinxsidebar|related|headerlink|breadcrumbs?|sidebar|toc|table-of-contents|pagination|skip-link|sr-only|visually-hidden)(?:\s|$)/i;
const AROUND_ROLE = /^(?:navigation|search|banner|contentinfo)$/i;
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements that often have no end tag: their end cannot be found by counting. */
const UNCLOSED = new Set("p li dt dd option optgroup tr td th thead tbody tfoot html head body".split(" "));
/** Elements within a word or a sentence. */
const INLINE = new Set(
  "a abbr b bdi bdo cite code data dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const HEADING = /^h[1-6]$/;
/** Types of `<script>` elements that are programs. */
const PROGRAM = /^\s*(?:$|module\s*$|(?:text|application)\/(?:x-)?(?:java|ecma)script\b)/i;
/** Symbols that generators put beside a heading. */
const PERMALINK = /^[\s¶#§🔗\u200b]+|[\s¶#§🔗\u200b]+$/gu;
/** Most links of one page that are read. */
const MOST_LINKS = 500;
/** Longest heading and longest title, in characters. */
const LONGEST_HEADING = 200;
/** How much of a heading is searched for symbols at its ends: a search in a longer one would take too long. */
const LONGEST_MARKED = 4 * LONGEST_HEADING;

interface OpenElement {
  readonly tag: string;
  depth: number;
}

interface OpenSection {
  anchor: string;
  heading: string;
  readonly text: string[];
  readonly isMain: boolean;
}

/** Reads a page's text. It follows tags and builds no tree, so that a page of any size and nesting costs little. */
export class PageReader extends MarkupReader {
  readonly #sections: OpenSection[] = [{ anchor: "", heading: "", text: [], isMain: false }];
  readonly #page = {
    /** Primary language, such as `de`; empty if the page does not say. */
    language: "",
    /** Whether the page asks to be left out: `noindex`, a redirect. */
    isHidden: false,
    /** Whether a script runs on the page, which may make its content. */
    hasScript: false,
    /** Whether an element at the end of the file belongs to the page's content. */
    canAppend: true,
    /** Addresses of other pages that the page links to, as written. */
    links: [] as string[],
    /** Addresses of scripts and styles that start with one slash. */
    rootedLoads: [] as string[],
  };
  readonly #title: string[] = [];
  #isInTitle = false;
  /** Open `<template>` and `<select>`: a script in them does not run. */
  readonly #inert: string[] = [];
  #skipped: OpenElement | undefined;
  #main: OpenElement | undefined;
  /** The open heading. */
  #heading: { readonly tag: string; readonly pieces: string[] } | undefined;
  /** The id of the innermost element that began since the last text. */
  #nextAnchor = "";

  end() {
    const isContent = this.tokenizer.state === TokenizerMode.DATA && !this.isInForeign;
    this.tokenizer.write("", true);
    this.#endHeading();
    const main = this.#sections.filter(({ isMain }) => isMain);
    const sections: Section[] = (main.length > 0 ? main : this.#sections)
      .map(({ anchor, heading, text }) => ({ anchor, heading, text: spaced(text.join("")) }))
      .filter(({ heading, text }) => heading !== "" || text !== "");
    const title = beginning(spaced(this.#title.join("")), LONGEST_HEADING);
    const canAppend = this.#page.canAppend && isContent && this.#inert.length === 0;
    return { ...this.#page, title, sections, canAppend };
  }

  protected override startTag(token: Token.TagToken, isForeign: boolean): void {
    const { tagName: tag } = token;
    // as browsers that run scripts read it
    if (tag === "noscript" && !isForeign) this.tokenizer.state = TokenizerMode.RAWTEXT;
    if (isForeign && tag !== "svg" && tag !== "math") return;
    const attribute = (name: string): string | undefined =>
      token.attrs.find((other) => other.name === name)?.value;
    if (tag === "template" || tag === "select") this.#inert.push(tag);
    if (tag === "frameset") this.#page.canAppend = false;
    if (tag === "script" && PROGRAM.test(attribute("type") ?? "")) this.#page.hasScript = true;
    this.#head(tag, attribute);
    const isOpen = !VOID.has(tag) && !(isForeign && token.selfClosing);
    if (deepen(this.#skipped, tag)) return;
    if (isOpen && !UNCLOSED.has(tag) && this.#isSkipped(tag, attribute)) {
      this.#skipped = { tag, depth: 1 };
      return;
    }
    if (!deepen(this.#main, tag) && isOpen && isMain(tag, attribute)) {
      this.#main = { tag, depth: 1 };
      this.#begin(attribute("id") ?? "");
    }
    this.#content(tag, attribute);
  }

  protected override endTag(token: Token.TagToken): void {
    const { tagName: tag } = token;
    if (tag === "title") this.#isInTitle = false;
    if (tag === "template" && this.#inert.includes(tag)) this.#inert.length = this.#inert.lastIndexOf(tag);
    if (tag === "select" && this.#inert.at(-1) === tag) this.#inert.pop(); // a template around it stays open
    if (this.#skipped) {
      if (this.#skipped.tag === tag && --this.#skipped.depth === 0) this.#skipped = undefined;
      return;
    }
    if (this.#heading?.tag === tag) this.#endHeading();
    if (!INLINE.has(tag)) this.#add(" ");
    if (this.#main?.tag === tag && --this.#main.depth === 0) {
      this.#main = undefined;
      this.#begin("");
    }
  }

  override onCharacter({ chars }: Token.CharacterToken): void {
    if (this.#isInTitle) this.#title.push(chars);
    else if (!this.#skipped && !this.isInForeign) {
      this.#add(chars);
      if (!this.#heading) this.#nextAnchor = "";
    }
  }

  override onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    if (this.#isInTitle) this.#title.push(chars);
    else if (!this.#skipped) this.#add(chars);
  }

  override onComment(): void {} // no text

  #head(tag: string, attribute: (name: string) => string | undefined): void {
    if (tag === "html") this.#page.language = languageOf(attribute("lang"));
    else if (tag === "title") this.#isInTitle = this.#title.length === 0 && !this.isInForeign;
    else if (tag === "base" && attribute("href") !== undefined) this.#page.canAppend = false;
    else if (tag === "meta") {
      const isRobots = /^(?:robots|googlebot)$/i.test(attribute("name") ?? "");
      const isRedirect = /^refresh$/i.test(attribute("http-equiv") ?? "");
      if (isRedirect || (isRobots && /\b(?:noindex|none)\b/i.test(attribute("content") ?? "")))
        this.#page.isHidden = true;
    } else if (tag === "a") {
      const address = attribute("href");
      if (address !== undefined && this.#page.links.length < MOST_LINKS) this.#page.links.push(address);
    } else if (tag === "script" || tag === "link") {
      const address = attribute(tag === "script" ? "src" : "href") ?? "";
      const { rootedLoads } = this.#page;
      if (/^\/[^/]/.test(address) && rootedLoads.length < MOST_LINKS) rootedLoads.push(address);
    }
  }

  #isSkipped(tag: string, attribute: (name: string) => string | undefined): boolean {
    if (NEVER.has(tag) || attribute("data-pagefind-ignore") !== undefined) return true;
    if (attribute("hidden") !== undefined || attribute("aria-hidden") === "true") return true;
    if (AROUND_CLASS.test(attribute("class") ?? "")) return true;
    return !this.#main && (AROUND.has(tag) || AROUND_ROLE.test(attribute("role") ?? ""));
  }

  #content(tag: string, attribute: (name: string) => string | undefined): void {
    const id = attribute("id") ?? (tag === "a" ? attribute("name") : undefined);
    if (id !== undefined) {
      this.#nextAnchor = id;
      const current = this.#sections.at(-1);
      if (this.#heading && current?.anchor === "") current.anchor = id;
    }
    if (tag === "dd" || tag === "dt") this.#endHeading();
    // terms that can be linked to, such as functions and settings, are headings
    if (HEADING.test(tag) || (tag === "dt" && id !== undefined)) {
      this.#endHeading();
      this.#begin(this.#nextAnchor);
      this.#nextAnchor = "";
      this.#heading = { tag, pieces: [] };
    } else if (!INLINE.has(tag)) this.#add(" ");
  }

  #begin(anchor: string): void {
    this.#sections.push({ anchor, heading: "", text: [], isMain: this.#main !== undefined });
  }

  #add(text: string): void {
    (this.#heading?.pieces ?? this.#sections.at(-1)?.text)?.push(text);
  }

  #endHeading(): void {
    const section = this.#sections.at(-1);
    if (!this.#heading || !section) return;
    const text = spaced(this.#heading.pieces.join("")).slice(0, LONGEST_MARKED);
    section.heading = beginning(text.replace(PERMALINK, ""), LONGEST_HEADING);
    this.#heading = undefined;
  }
}

/** Counts an element of the same name inside an open one. @returns whether there is an open one */
function deepen(open: OpenElement | undefined, tag: string): boolean {
  if (open?.tag === tag) open.depth++;
  return open !== undefined;
}

function isMain(tag: string, attribute: (name: string) => string | undefined): boolean {
  return tag === "main" || attribute("role") === "main" || attribute("data-pagefind-body") !== undefined;
}

function languageOf(tag = ""): string {
  return /^[a-z]{2,3}(?=$|[-_])/.exec(tag.toLowerCase())?.[0] ?? "";
}

function spaced(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
