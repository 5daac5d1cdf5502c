import { anchorRows, headingLevel } from "./anchors.ts";
import {
  append,
  attribute,
  type Element,
  element,
  elementsOf,
  type Fragment,
  isElement,
  removeAttribute,
  replace,
  setAttribute,
  text,
  textOf,
} from "./htmlTree.ts";
import { type LinkTargets, resolveLink } from "./links.ts";
import type { Page } from "./page.ts";
import { parseSrcset } from "./srcset.ts";
import type { Warn } from "./warn.ts";

/** Lowers a heading that only names the site: the page's own heading follows. */
export function demoteRepeatedName(tree: Fragment, siteName: string): void {
  const heading = elementsOf(tree).find(({ tagName }) => tagName === "h1");
  if (heading && textOf(heading).trim() === siteName) setAttribute(heading, "class", "repeated-name");
}

const EXTERNAL_REL = "noopener noreferrer";

/** Turns the page's links, images, tables and headings into those of the exported site. */
export function rewritePage(tree: Fragment, page: Page, targets: LinkTargets, warn: Warn): void {
  const rows = anchorRows(tree, page.anchors);
  for (const node of elementsOf(tree)) {
    if (node.tagName === "a") rewriteLink(node, page, targets, warn);
    else if (node.tagName === "table") wrapTable(node);
    else if (headingLevel(node) !== undefined) addPermalink(node, attribute(node, "id") ?? "");
    const rowId = rows.get(node);
    if (rowId !== undefined) addPermalink(node, rowId);
    rewriteMedia(node, page, targets, warn);
  }
}

function rewriteLink(link: Element, page: Page, targets: LinkTargets, warn: Warn): void {
  const href = attribute(link, "href");
  if (href === undefined) return;
  const target = resolveLink(href, page, targets);
  if (target.kind === "broken") warn(href, target.reason);
  if (target.url === undefined) {
    // a broken link does not help a reader: its text stays, marked, and a warning names it
    replace(link, element("span", { class: "broken-link" }, [...link.childNodes]));
    return;
  }
  setAttribute(link, "href", target.url);
  if (target.kind === "external") setAttribute(link, "rel", EXTERNAL_REL);
}

/** Attributes by which an element loads one file with its page. */
const LOADING_ATTRIBUTES = ["src", "poster"];

function rewriteMedia(node: Element, page: Page, targets: LinkTargets, warn: Warn): void {
  const load = (url: string): string | undefined => {
    const target = resolveLink(url, page, targets);
    if (target.kind === "broken") warn(url, target.reason);
    if (target.kind === "external") {
      warn(url, "is on another host, and a self-contained page may not load it");
    }
    return target.kind === "local" ? target.url : undefined;
  };
  for (const name of LOADING_ATTRIBUTES) {
    const value = attribute(node, name);
    if (value === undefined) continue;
    const url = load(value);
    if (url !== undefined) {
      setAttribute(node, name, url);
    } else if (name === "poster") {
      removeAttribute(node, name);
    } else {
      replace(node, ...insteadOfMedia(node, page, targets));
      return;
    }
  }
  const srcset = attribute(node, "srcset");
  if (srcset === undefined) return;
  const candidates = parseSrcset(srcset).flatMap(({ url, descriptor }) => {
    const local = load(url);
    return local === undefined ? [] : [`${local}${descriptor && ` ${descriptor}`}`];
  });
  if (candidates.length > 0) setAttribute(node, "srcset", candidates.join(", "));
  else if (attribute(node, "src") !== undefined) removeAttribute(node, "srcset");
  else replace(node, ...insteadOfMedia(node, page, targets));
}

/** The text in place of an image that the site cannot show; a link to it where that is possible. */
function insteadOfMedia(node: Element, page: Page, targets: LinkTargets): Element[] {
  if (node.tagName === "source") return [];
  const url = attribute(node, "src") ?? "";
  const target = resolveLink(url, page, targets);
  const words = attribute(node, "alt") ?? attribute(node, "title") ?? url;
  if (target.kind !== "external" || isInsideLink(node)) return [element("span", {}, [text(words)])];
  return [element("a", { href: target.url, rel: EXTERNAL_REL }, [text(words || url)])];
}

function isInsideLink(node: Element): boolean {
  for (let parent = node.parentNode; parent && "tagName" in parent; parent = parent.parentNode) {
    if (parent.tagName === "a") return true;
  }
  return false;
}

/** A table in a box that is as wide as it needs. On a phone each row is a block, in which the cells have the names of their columns. */
function wrapTable(table: Element): void {
  const rows = elementsOf(table)
    .filter(({ tagName }) => tagName === "tr")
    .map(({ childNodes }) => childNodes.filter(isElement));
  const names = rows[0]?.every(({ tagName }) => tagName === "th") ? rows[0].map(nameOf) : [];
  for (const cells of rows.slice(1)) {
    if (cells.length !== names.length) continue; // one that spans several columns has no name
    for (const [index, cell] of cells.entries()) setAttribute(cell, "data-column", names[index] ?? "");
  }
  for (const code of elementsOf(table)) if (code.tagName === "code") allowBreaks(code);
  const isWide = rows.some(({ length }) => length > MOST_NARROW_COLUMNS);
  // reachable by keyboard, because it may need scrolling
  const box = element("div", {
    class: "table",
    ...(isWide && { tabindex: "0", role: "group", "aria-label": "Table" }),
  });
  replace(table, box);
  append(box, table);
}

/** A table of more columns may be wider than a window that is no phone's. */
const MOST_NARROW_COLUMNS = 4;

/** The parts of paths, addresses and names, after which a line may end. */
const PART = /(?<=[/.:_=,&?@-])(?=[^/.:_=,&?@-])|(?<=[a-z])(?=[A-Z])/;

/** Characters. A shorter name stays in one line. */
const LONGEST_UNBROKEN = 16;

/** Lets a long name in a table go on in the next line where its parts end: otherwise it makes the table too wide, or breaks anywhere. */
function allowBreaks(code: Element): void {
  const name = textOf(code);
  if (code.childNodes.some(isElement)) return;
  if (name.length <= LONGEST_UNBROKEN) return setAttribute(code, "class", "unbroken");
  code.childNodes = [];
  for (const [index, part] of name.split(PART).entries()) {
    if (index > 0) append(code, element("wbr", {}));
    append(code, text(part));
  }
}

const nameOf = (cell: Element): string => textOf(cell).replace(/\s+/g, " ").trim();

function addPermalink(node: Element, id: string): void {
  const label = `Link to «${nameOf(node)}»`;
  append(node, element("a", { class: "permalink", href: `#${encodeURIComponent(id)}`, "aria-label": label }));
}
