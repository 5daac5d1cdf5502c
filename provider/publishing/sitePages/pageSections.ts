import type { Section } from "../search/sections";
import { beginning, visible } from "../search/words";
import { isDisclosure } from "./contentElements";
import { type Attribute, isNote, isSidebar } from "./contentTable";

/** Elements outside of the main part whose text tells whether it is content: notes or lists of links, whole pages or fields. */
const DOUBTFUL = new Set(["aside", "form"]);
/** A form without a heading is content from so many characters on. */
const LONG_FORM = 200;
/** Readings beside the characters of a text, and what encloses them. */
const READING = new Set(["rt", "rp", "rtc"]);
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
/** Symbols that generators put beside a heading. */
const PERMALINK = /^[\s¶#§🔗\u200b]+|[\s¶#§🔗\u200b]+$/gu;
/** Longest heading and longest title, in characters. */
const LONGEST_HEADING = 200;
/** How much of a heading is searched for symbols at its ends: a search in a longer one would take too long. */
const LONGEST_MARKED = 4 * LONGEST_HEADING;

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
  /** Whether it is content for certain: it belongs to the main part, or has it. */
  isMain: boolean;
}

/** Divides the content of a page into sections: at headings and at what people refer to, such as functions and questions. */
export class PageSections {
  readonly #sections: OpenSection[] = [{ anchor: "", heading: "", text: [], isMain: false }];
  #isMain = false;
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
  #row: OpenRow | undefined;
  /** The section in front of the rows of a table that are sections. */
  #beforeRows: OpenSection | undefined;
  /** Number of characters until now, and those of links. */
  #characters = 0;
  #linked = 0;
  /** The id of the innermost element that began since the last text. */
  #nextAnchor = "";

  get isInHeading(): boolean {
    return this.#heading !== undefined;
  }

  /** The sections of the main part or, without one, of the page. */
  end(): Section[] {
    this.#endDoubtful(0);
    const main = this.#sections.filter(({ isMain }) => isMain);
    const found = sectionsOf(main.length > 0 ? main : this.#sections);
    return found.length > 0 ? found : sectionsOf(this.#leftOut);
  }

  beginMain(id = ""): void {
    this.#isMain = true;
    for (const each of this.#doubtful) each.isMain = true;
    this.#begin(id);
  }

  endMain(): void {
    this.#isMain = false;
    this.#begin("");
  }

  /** @param isHidden whether a browser does not show the element: an address of it would lead nowhere */
  startTag(tag: string, attribute: Attribute, isHidden: boolean): void {
    if (DOUBTFUL.has(tag)) this.#beginDoubtful(tag, attribute);
    const id =
      tag === "input" ? undefined : (attribute("id") ?? (tag === "a" ? attribute("name") : undefined));
    if (id !== undefined && !isHidden) {
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

  endTag(tag: string): void {
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
  }

  text(characters: string): void {
    if (this.#isInReading) return;
    this.#add(characters);
    this.#characters += characters.length;
    if (this.#isInLink) this.#linked += characters.length;
    if (!this.#heading) this.#nextAnchor = "";
  }

  space(characters: string): void {
    if (!this.#isInReading) this.#add(characters);
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

  #beginDoubtful(tag: string, attribute: Attribute): void {
    this.#endHeading();
    const [characters, linked] = [this.#characters, this.#linked];
    const isCertain = tag === "aside" && isNote(attribute("class") ?? "");
    const isMain = isCertain || (this.#isMain && !(tag === "aside" && isSidebar(attribute("class") ?? "")));
    const pieces = this.#sections.at(-1)?.text.length ?? 0;
    this.#doubtful.push({ tag, sections: this.#sections.length, pieces, characters, linked, isMain });
  }

  /** Ends the open elements from the given one on, and takes back what is not content. */
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
    this.#sections.push({ anchor, heading: "", text: [], isMain: this.#isMain });
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

/** The title of a page as results show it. */
export function titleOf(text: string): string {
  return beginning(spaced(text), LONGEST_HEADING);
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

function spaced(text: string): string {
  return visible(text).replace(/\s+/gu, " ").trim();
}
