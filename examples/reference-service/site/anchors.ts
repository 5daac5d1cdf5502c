import GithubSlugger, { slug } from "github-slugger";
import {
  attribute,
  type Element,
  elementsOf,
  type Fragment,
  isElement,
  parseFragment,
  removeAttribute,
  replace,
  setAttribute,
  textOf,
  unwrap,
} from "./htmlTree.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

const HEADING = /^h([1-6])$/;

/** The level of a heading element, or undefined for any other element. */
export function headingLevel(element: Element): number | undefined {
  const level = HEADING.exec(element.tagName)?.[1];
  return level === undefined ? undefined : Number(level);
}

/**
 * Gives the rows of tables identifiers: readers link to a message, an input or a limit. Code hosts have none, so that links in the
 * source may not lead there.
 *
 * @returns the first cell of each such row, with the row's identifier
 */
export function anchorRows(tree: Fragment, anchors: ReadonlySet<string>): Map<Element, string> {
  const slugger = new GithubSlugger();
  const cells = new Map<Element, string>();
  const taken = new Set([...anchors, ...FRAME_IDS]);
  for (const row of elementsOf(tree)) {
    const cell = row.childNodes.find(isElement);
    if (row.tagName !== "tr" || cell?.tagName !== "td" || attribute(row, "id") !== undefined) continue;
    const name = slug(textOf(cell).trim())
      .replace(/-{2,}/g, "-")
      .slice(0, LONGEST_ROW_ID)
      .replace(/^-|-$/g, "");
    if (name === "") continue;
    let id = slugger.slug(name);
    while (taken.has(id)) id = slugger.slug(name);
    taken.add(id);
    setAttribute(row, "id", id);
    cells.set(cell, id);
  }
  return cells;
}

/** Identifiers of the page around the text. */
const FRAME_IDS = ["content", "site-navigation", "page-contents", "page-contents-title"];

/** Characters. First cells may be sentences. */
const LONGEST_ROW_ID = 60;

/**
 * Gives every heading the identifier that code hosts give it, so that links written for them work here. Makes the author's own
 * anchors (`<a id="…">`, `<a name="…">`) valid: unique, and empty, since authors often forget to close them.
 */
export function anchorHeadings(tree: Fragment): { headings: Heading[]; anchors: Set<string> } {
  const slugger = new GithubSlugger();
  const headings: Heading[] = [];
  const anchors = new Set<string>();
  const elements = elementsOf(tree);
  for (const element of elements) {
    const level = headingLevel(element);
    if (level === undefined) continue;
    const text = textOf(element).trim();
    const id = slugger.slug(text);
    setAttribute(element, "id", id);
    headings.push({ level, text, id });
    anchors.add(id);
  }
  for (const element of elements) if (headingLevel(element) === undefined) anchorAuthored(element, anchors);
  return { headings, anchors };
}

function anchorAuthored(element: Element, anchors: Set<string>): void {
  const id = attribute(element, "id") ?? attribute(element, "name");
  removeAttribute(element, "id");
  removeAttribute(element, "name");
  const isNew = id !== undefined && id !== "" && !anchors.has(id);
  if (isNew) {
    setAttribute(element, "id", id);
    anchors.add(id);
  }
  if (element.tagName !== "a" || attribute(element, "href") !== undefined) return;
  if (isNew) replace(element, element, ...emptied(element));
  else unwrap(element);
}

/** Takes the children out of an anchor, to insert them after it. */
function emptied(anchor: Element): Element["childNodes"] {
  const children = anchor.childNodes;
  anchor.childNodes = parseFragment("").childNodes;
  for (const child of children) child.parentNode = null;
  return children;
}
