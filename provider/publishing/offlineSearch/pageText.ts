import { type Token, TokenizerMode } from "parse5";
import { MarkupReader } from "../inspection/markupReader";
import type { Section } from "../search/sections";
import { beginning, visible } from "../search/words";
import { type Redirect, redirectIn } from "./redirect";

/** What a page contributes to its site's search. */
export type PageText = ReturnType<PageReader["end"]>;

/** Elements whose text is no content, wherever they are. */
const NEVER = new Set(
  "script style noscript template svg math iframe object canvas audio video textarea select datalist dialog nav".split(
    " ",
  ),
);
/** Elements whose text is no content outside of the main part. */
const AROUND = new Set(["header", "footer"]);
/** Elements outside of the main part whose text tells whether it is content: notes or lists of links, whole pages or fields. */
const DOUBTFUL = new Set(["aside", "form"]);
/** A form without a heading is content from so many characters on. */
const LONG_FORM = 200;
/** Hidden elements that scripts fill or show for a moment, by their names and roles. Other hidden ones are panels of tabs and the like. */
const PASSING = new Set(["form", "label", "output", "progress"]);
const PASSING_ROLE = /^(?:alert|alertdialog|dialog|listbox|log|menu|progressbar|status|tooltip)$/i;
const PANEL_ROLE = /^(?:tabpanel|region)$/i;
/** Readings beside the characters of a text, and what encloses them. */
const READING = new Set(["rt", "rp", "rtc"]);
/** Classes of what surrounds the content in generators that do not use the elements for it. */
const AROUND_CLASS =
  /(?:^|\s)(?:navheader|navfooter|sphinxsidebar|related|headerlink|breadcrumbs?|sidebar|toc|table-of-contents|pagination|skip-link|sr-only|visually-hidden)(?:\s|$)/i;
const AROUND_ROLE = /^(?:navigation|search|banner|contentinfo)$/i;
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements that often have no end tag: their end cannot be found by counting. */
const UNCLOSED = new Set("p li dt dd option optgroup tr td th thead tbody tfoot html head body".split(" "));
/** Elements within a word or a sentence. */
const INLINE = new Set(
  (
    "a abbr acronym b bdi bdo big cite code data dfn em font i ins kbd mark nobr q rb rp rt rtc ruby s samp small span strike strong " +
    "sub sup time tt u var wbr"
  ).split(" "),
);
const CELL = new Set(["td", "th"]);
const TABLE = new Set(["tr", ...CELL]);
const HEADING = /^h[1-6]$/;
/** Types of `<script>` elements that are programs. */
const PROGRAM = /^\s*(?:$|module\s*$|(?:text|application)\/(?:x-)?(?:java|ecma)script\b)/i;
/** Symbols that generators put beside a heading. */
const PERMALINK = /^[\s¶#§🔗\u200b]+|[\s¶#§🔗\u200b]+$/gu;
/** Most links of one page that are read, and most ids of panels. */
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

/** An open heading. A plain button in it is a part of it only if it has no other text: «Copy link». */
interface OpenHeading {
  readonly tag: string;
  readonly pieces: string[];
  readonly labels: string[];
}

/** A row of a table with an id. It is a section if its first cell links to it: the row is what people refer to. */
interface OpenRow {
  readonly id: string;
  before?: OpenSection | undefined;
  /** 0 in front of the first cell, 1 in it, 2 behind it. */
  cells: 0 | 1 | 2;
  isLinked: boolean;
}

/** An open element of {@link DOUBTFUL}, and what was read before it. */
interface Doubtful {
  readonly tag: string;
  readonly sections: number;
  readonly pieces: number;
  readonly characters: number;
  readonly linked: number;
  /** Whether it belongs to the main part, or has it. */
  isMain: boolean;
}

type Attribute = (name: string) => string | undefined;

/** Receives what a page is read as, beside its text. */
export interface MarkupListener {
  startTag(token: Token.TagToken, isForeign: boolean): void;
  /** @param offset behind the tag's name, in UTF-16 units */
  endTag(token: Token.TagToken, offset: number): void;
  text(characters: string): void;
}

/** Reads a page's text. It follows tags and builds no tree, so that a page of any size and nesting costs little. */
export class PageReader extends MarkupReader {
  readonly #listener: MarkupListener | undefined;
  readonly #sections: OpenSection[] = [{ anchor: "", heading: "", text: [], isMain: false }];
  readonly #page = {
    /** Language in lower case, such as `de` or `pt-br`; empty if the page does not say. */
    language: "",
    /** Whether the page asks search engines to leave it out. */
    isNoindex: false,
    /** Where a browser goes from the page without being asked to. */
    redirect: undefined as Redirect | undefined,
    /** The nonce of its scripts, for a content security policy; empty without one. */
    nonce: "",
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
  /** An element that a browser does not show: an address in it leads nowhere. */
  #hidden: OpenElement | undefined;
  #heading: OpenHeading | undefined;
  /** Whether the text belongs to a plain button in a heading, to a reading, to a link. */
  #isInLabel = false;
  #isInReading = false;
  #isInLink = false;
  readonly #doubtful: Doubtful[] = [];
  /** What was left out as no content: of a page without anything else, it is the content. */
  readonly #leftOut: OpenSection[] = [];
  /** For each open `<details>`, the section before it if its summary began another one. */
  readonly #details: (OpenSection | undefined)[] = [];
  /** Ids of elements that others of the page open. */
  readonly #panels = new Set<string>();
  #row: OpenRow | undefined;
  /** The section in front of the rows of a table that are sections. */
  #beforeRows: OpenSection | undefined;
  /** Number of characters until now, and those of links. */
  #characters = 0;
  #linked = 0;
  /** The id of the innermost element that began since the last text. */
  #nextAnchor = "";

  constructor(listener?: MarkupListener) {
    super();
    this.#listener = listener;
  }

  end() {
    const isContent = this.tokenizer.state === TokenizerMode.DATA && !this.isInForeign;
    this.tokenizer.write("", true);
    this.#endDoubtful(0);
    const main = this.#sections.filter(({ isMain }) => isMain);
    const found = sectionsOf(main.length > 0 ? main : this.#sections);
    const sections = found.length > 0 ? found : sectionsOf(this.#leftOut);
    const title = beginning(spaced(this.#title.join("")), LONGEST_HEADING);
    const canAppend = this.#page.canAppend && isContent && this.#inert.length === 0;
    return { ...this.#page, title, sections, canAppend };
  }

  protected override startTag(token: Token.TagToken, isForeign: boolean): void {
    const { tagName: tag } = token;
    this.#listener?.startTag(token, isForeign);
    // as browsers that run scripts read it
    if (tag === "noscript" && !isForeign) this.tokenizer.state = TokenizerMode.RAWTEXT;
    if (isForeign && tag !== "svg" && tag !== "math") return;
    const attribute: Attribute = (name) => token.attrs.find((other) => other.name === name)?.value;
    if (tag === "template" || tag === "select") this.#inert.push(tag);
    if (tag === "frameset") this.#page.canAppend = false;
    if (tag === "script" && PROGRAM.test(attribute("type") ?? "")) this.#page.hasScript = true;
    this.#head(tag, attribute);
    this.#disclosure(attribute);
    const isOpen = !VOID.has(tag) && !(isForeign && token.selfClosing);
    if (deepen(this.#skipped, tag)) return;
    if (isOpen && !UNCLOSED.has(tag) && this.#isSkipped(tag, attribute)) {
      this.#skipped = { tag, depth: 1 };
      return;
    }
    if (!deepen(this.#main, tag) && isOpen && isMain(tag, attribute)) {
      this.#main = { tag, depth: 1 };
      for (const each of this.#doubtful) each.isMain = true;
      this.#begin(attribute("id") ?? "");
    }
    if (DOUBTFUL.has(tag)) this.#beginDoubtful(tag);
    const isHidden = attribute("hidden") !== undefined && !/^until-found$/i.test(attribute("hidden") ?? "");
    if (!deepen(this.#hidden, tag) && isOpen && !UNCLOSED.has(tag) && isHidden) {
      this.#hidden = { tag, depth: 1 };
    }
    this.#content(tag, attribute);
  }

  protected override endTag(token: Token.TagToken): void {
    const { tagName: tag } = token;
    this.#listener?.endTag(token, this.tokenizer.preprocessor.offset);
    if (tag === "title") this.#isInTitle = false;
    if (tag === "template" && this.#inert.includes(tag)) this.#inert.length = this.#inert.lastIndexOf(tag);
    if (tag === "select" && this.#inert.at(-1) === tag) this.#inert.pop(); // a template around it stays open
    if (this.#skipped) {
      if (this.#skipped.tag === tag && --this.#skipped.depth === 0) this.#skipped = undefined;
      return;
    }
    if (CELL.has(tag)) this.#endCell();
    if (this.#heading?.tag === tag) this.#endHeading();
    if (DOUBTFUL.has(tag)) {
      const at = this.#doubtful.findLastIndex((each) => each.tag === tag);
      if (at >= 0) this.#endDoubtful(at);
    }
    if (tag === "a") this.#isInLink = false;
    if (tag === "details") this.#endDetails();
    if (tag === "table") {
      this.#endCell();
      this.#row = undefined;
      this.#endRows();
    }
    if (READING.has(tag) || tag === "ruby") this.#isInReading = false;
    if (!INLINE.has(tag)) this.#add(" ");
    if (tag === "button") this.#isInLabel = false;
    if (this.#hidden?.tag === tag && --this.#hidden.depth === 0) this.#hidden = undefined;
    if (this.#main?.tag === tag && --this.#main.depth === 0) {
      this.#main = undefined;
      this.#begin("");
    }
  }

  override onCharacter({ chars }: Token.CharacterToken): void {
    this.#listener?.text(chars);
    if (this.#isInTitle) this.#title.push(chars);
    else if (!this.#skipped && !this.isInForeign && !this.#isInReading) {
      this.#add(chars);
      this.#characters += chars.length;
      if (this.#isInLink) this.#linked += chars.length;
      if (!this.#heading) this.#nextAnchor = "";
    }
  }

  override onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    this.#listener?.text(chars);
    if (this.#isInTitle) this.#title.push(chars);
    else if (!this.#skipped && !this.#isInReading) this.#add(chars);
  }

  override onComment(): void {} // no text

  #head(tag: string, attribute: Attribute): void {
    if (tag === "html") this.#page.language = languageOf(attribute("lang"));
    else if (tag === "title") this.#isInTitle = this.#title.length === 0 && !this.isInForeign;
    else if (tag === "base" && attribute("href") !== undefined) this.#page.canAppend = false;
    else if (tag === "meta") {
      const content = attribute("content") ?? "";
      if (/^(?:robots|googlebot)$/i.test(attribute("name") ?? "")) {
        this.#page.isNoindex ||= isNoindex(content);
      }
      if (/^refresh$/i.test(attribute("http-equiv") ?? "")) this.#page.redirect ??= redirectIn(content);
    } else if (tag === "a") {
      const address = attribute("href");
      if (address !== undefined && this.#page.links.length < MOST_LINKS) this.#page.links.push(address);
    } else if (tag === "script" || tag === "link") {
      const address = attribute(tag === "script" ? "src" : "href") ?? "";
      const { rootedLoads } = this.#page;
      if (/^\/[^/]/.test(address) && rootedLoads.length < MOST_LINKS) rootedLoads.push(address);
      if (tag === "script") this.#page.nonce ||= attribute("nonce") ?? "";
    }
  }

  /** Remembers what an element opens: a panel of an accordion, but no menu. */
  #disclosure(attribute: Attribute): void {
    const opened = attribute("aria-controls");
    if (opened === undefined || isMenuButton(attribute) || this.#panels.size >= MOST_LINKS) return;
    for (const id of opened.split(/\s+/)) this.#panels.add(id);
  }

  #isSkipped(tag: string, attribute: Attribute): boolean {
    if (tag === "template" && attribute("shadowrootmode") !== undefined) return false; // browsers show it
    if (NEVER.has(tag) || attribute("data-pagefind-ignore") !== undefined) return true;
    const role = attribute("role") ?? "";
    if (attribute("hidden") !== undefined && (PASSING.has(tag) || PASSING_ROLE.test(role))) return true;
    if (attribute("aria-hidden") === "true" && !this.#isPanel(role, attribute)) return true;
    if (tag === "button") return !this.#heading && !isDisclosure(role, attribute);
    if (AROUND_CLASS.test(attribute("class") ?? "")) return true;
    return !this.#main && (AROUND.has(tag) || AROUND_ROLE.test(role));
  }

  /** Whether an element is the content of a tab or of an accordion. */
  #isPanel(role: string, attribute: Attribute): boolean {
    if (PANEL_ROLE.test(role) || attribute("aria-labelledby") !== undefined) return true;
    return this.#panels.has(attribute("id") ?? "");
  }

  #content(tag: string, attribute: Attribute): void {
    const id =
      tag === "input" ? undefined : (attribute("id") ?? (tag === "a" ? attribute("name") : undefined));
    if (id !== undefined && !this.#hidden) {
      this.#nextAnchor = id;
      const current = this.#sections.at(-1);
      if (this.#heading && current?.anchor === "") current.anchor = id;
    }
    if (tag === "dd" || tag === "dt") this.#endHeading();
    if (tag === "a") {
      this.#isInLink = true;
      if (this.#row && attribute("href") === `#${this.#row.id}`) this.#row.isLinked = true;
    }
    if (TABLE.has(tag)) this.#tablePart(tag, attribute("id"));
    if (tag === "details") this.#details.push(undefined);
    if (READING.has(tag)) this.#isInReading = true;
    else if (!INLINE.has(tag) || tag === "rb" || tag === "ruby") this.#isInReading = false;
    // what can be linked to, such as functions, settings and the questions of an accordion, are headings
    const isSummary = tag === "summary" && this.#nextAnchor !== "" && this.#details.length > 0;
    if (HEADING.test(tag) || (tag === "dt" && id !== undefined) || isSummary) {
      this.#endHeading();
      if (isSummary) this.#details[this.#details.length - 1] = this.#sections.at(-1);
      this.#begin(this.#nextAnchor);
      this.#nextAnchor = "";
      this.#heading = { tag, pieces: [], labels: [] };
    } else if (!INLINE.has(tag)) this.#add(" ");
    if (tag === "button") this.#isInLabel = !isDisclosure(attribute("role") ?? "", attribute);
  }

  #tablePart(tag: string, id = ""): void {
    if (tag === "tr") {
      this.#endCell();
      if (id === "") this.#endRows();
      this.#row = id === "" ? undefined : { id, cells: 0, isLinked: false };
    } else if (this.#row?.cells === 0) {
      this.#row.cells = 1;
      this.#row.before = this.#sections.at(-1);
      this.#begin(this.#row.id);
      this.#heading = { tag, pieces: [], labels: [] };
    } else this.#endCell();
  }

  /** Ends the first cell of a row with an id. Without a link to the row, its text belongs to the section before. */
  #endCell(): void {
    const row = this.#row;
    if (row?.cells !== 1) return;
    row.cells = 2;
    const text = this.#heading?.pieces.join("") ?? "";
    const isHeading = !this.#heading || (row.isLinked && spaced(text).length <= LONGEST_HEADING);
    if (isHeading) this.#endHeading();
    this.#heading = undefined;
    if (isHeading || row.isLinked) this.#beforeRows ??= row.before;
    else {
      this.#sections.pop();
      this.#endRows();
    }
    if (!isHeading) this.#add(` ${text} `);
  }

  /** What follows rows that are sections belongs to the section before them. */
  #endRows(): void {
    if (this.#beforeRows) this.#begin(this.#beforeRows.anchor);
    this.#beforeRows = undefined;
  }

  /** What follows an accordion belongs to the section before it. */
  #endDetails(): void {
    const before = this.#details.pop();
    if (before) this.#begin(before.anchor);
  }

  #beginDoubtful(tag: string): void {
    this.#endHeading();
    const [characters, linked, isMain] = [this.#characters, this.#linked, this.#main !== undefined];
    const pieces = this.#sections.at(-1)?.text.length ?? 0;
    this.#doubtful.push({ tag, sections: this.#sections.length, pieces, characters, linked, isMain });
  }

  /** Ends the open elements from the given one on, and takes back what is no content. */
  #endDoubtful(at: number): void {
    this.#endHeading();
    for (const open of this.#doubtful.splice(at).reverse()) {
      if (open.isMain) continue;
      const length = this.#characters - open.characters;
      const isLinks = 2 * (this.#linked - open.linked) > length;
      const own = this.#sections.slice(open.sections);
      const isPage = length >= LONG_FORM || own.some(({ heading }) => heading !== "");
      if (open.tag === "form" ? isPage : !isLinks) continue;
      this.#sections.length = open.sections;
      const text = this.#sections.at(-1)?.text.splice(open.pieces) ?? [];
      this.#nextAnchor = "";
      this.#leftOut.push({ anchor: "", heading: "", text, isMain: false }, ...own);
    }
  }

  #begin(anchor: string): void {
    this.#sections.push({ anchor, heading: "", text: [], isMain: this.#main !== undefined });
  }

  #add(text: string): void {
    const pieces = this.#isInLabel ? this.#heading?.labels : this.#heading?.pieces;
    (pieces ?? this.#sections.at(-1)?.text)?.push(text);
  }

  #endHeading(): void {
    const section = this.#sections.at(-1);
    if (!this.#heading || !section) return;
    const { pieces, labels } = this.#heading;
    section.heading = headingOf(pieces) || headingOf(labels);
    this.#heading = undefined;
    this.#isInLabel = false;
  }
}

function headingOf(pieces: readonly string[]): string {
  const text = spaced(pieces.join("")).slice(0, LONGEST_MARKED);
  return beginning(text.replace(PERMALINK, ""), LONGEST_HEADING);
}

/** The sections with a content. A heading without an id has the nearest one before it. */
function sectionsOf(open: readonly OpenSection[]): Section[] {
  let nearest = "";
  return open
    .map(({ anchor, heading, text }) => {
      nearest = anchor || nearest;
      return { anchor: heading === "" ? anchor : nearest, heading, text: spaced(text.join("")) };
    })
    .filter(({ heading, text }) => heading !== "" || text !== "");
}

/** Whether directives of a page for search engines leave it out. Those with a value, such as `max-image-preview:none`, do not. */
function isNoindex(directives: string): boolean {
  return directives
    .split(",")
    .filter((directive) => !directive.includes(":"))
    .some((directive) => /(?:^|\s)(?:noindex|none)(?:\s|$)/i.test(directive));
}

/** Whether a button opens a menu, whose text is no content. */
function isMenuButton(attribute: Attribute): boolean {
  return (attribute("aria-haspopup") ?? "false") !== "false";
}

/** Whether a button is the name of a tab or of a part of an accordion. */
function isDisclosure(role: string, attribute: Attribute): boolean {
  if (/^tab$/i.test(role)) return true;
  const opens = attribute("aria-expanded") !== undefined || attribute("aria-controls") !== undefined;
  return opens && !isMenuButton(attribute);
}

/** Counts an element of the same name inside an open one. @returns whether there is an open one */
function deepen(open: OpenElement | undefined, tag: string): boolean {
  if (open?.tag === tag) open.depth++;
  return open !== undefined;
}

function isMain(tag: string, attribute: Attribute): boolean {
  return tag === "main" || attribute("role") === "main" || attribute("data-pagefind-body") !== undefined;
}

function languageOf(tag = ""): string {
  const language = tag.trim().toLowerCase().replaceAll("_", "-");
  return /^[a-z]{2,3}(?=$|-)[a-z0-9-]*$/.exec(language)?.[0] ?? "";
}

function spaced(text: string): string {
  return visible(text).replace(/\s+/gu, " ").trim();
}
