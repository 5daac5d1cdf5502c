import GithubSlugger from "github-slugger";
import {
  type Element,
  type Fragment,
  attribute,
  elementsOf,
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
