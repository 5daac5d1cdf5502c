import { shortAnchor } from "./anchors";
import { ownBytes } from "./ownMemory";
import { beginning } from "./words";

/** A part of a page below one heading. */
export interface Section {
  /** The fragment of the page's address that leads to it; empty for the beginning of the page. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** A section with the part of its text that results can quote, which ends at this character of the whole one. */
export interface QuotableSection extends Section {
  readonly end: number;
}

/** How much text of one page results can quote, in bytes. */
const QUOTABLE = 12_000;
/** The same of a longer page, which has place tables, too. */
const QUOTABLE_OF_LONG = 11_300;
/** How much of one section at least. */
const QUOTABLE_SECTION = 120;

/**
 * The part of a page's text that results can quote: of a long page, the beginning of each section.
 *
 * @param whole most bytes of all sections of a page that is quotable as a whole
 * @param most the same of a longer one
 */
export function quotable(
  sections: readonly Section[],
  whole: number = QUOTABLE,
  most: number = QUOTABLE_OF_LONG,
): QuotableSection[] {
  const characters = sections.reduce((sum, { text }) => sum + text.length, 0);
  const bytes = sections.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const total = Math.floor((most * characters) / bytes);
  const share = bytes <= whole ? Infinity : Math.max(QUOTABLE_SECTION, Math.floor(total / sections.length));
  return sections.map((section) => {
    const text = beginning(section.text, share);
    return { ...section, text: text === section.text ? text : `${text} …`, end: text.length };
  });
}

/** Sections behind those that are read to rank a page, as files of the index have them. */
export function furtherSections(sections: readonly Section[]): Buffer {
  return storedSections(quotable(sections, QUOTABLE_SECTION, QUOTABLE_SECTION));
}

/** Sections as JSON in UTF-8: outside of the heap, and half as large as strings are there. */
export function storedSections(sections: readonly Section[]): Buffer {
  const stored = sections.map(({ anchor, heading, text }) => [shortAnchor(anchor, heading), heading, text]);
  return ownBytes(JSON.stringify(stored));
}
