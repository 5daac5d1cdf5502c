import { namedBy } from "./codeText";
import { attributeOf, classesOf, type ContentElement, firstBelow, textOf } from "./contentElement";
import { isDoubtful } from "./contentRules";
import { rememberedTest } from "./rememberedClasses";

/** What the writer must know of a page's content before it writes. */
export interface Prepared {
  /** The labels of panels: those of tabs stand apart from them. As Markdown. */
  readonly labels: ReadonlyMap<ContentElement, string>;
  /** Elements that are written elsewhere, or not at all. */
  readonly skipped: Set<ContentElement>;
  /** The names of footnotes, by the links that lead to them and by their texts. */
  readonly references: ReadonlyMap<ContentElement, string>;
  readonly notes: ReadonlyMap<ContentElement, string>;
  /** The languages of code that an element around it names. */
  readonly languages: ReadonlyMap<ContentElement, string>;
}

/** Lists of tabs on one page; further ones are written as lists. */
const MOST_TABS = 500;
/** How far behind a list of tabs their panels are. */
const MOST_SIBLINGS = 64;
/** How many elements around a list of tabs may have their panels. */
const MOST_AROUND = 4;
const TAB_LIST = rememberedTest(/(?:^|\s)(?:tabbed-labels|tabs|tab-list|tablist|nav-tabs|tab-bar)(?=\s|$)/);
const TAB_LABEL = rememberedTest(/(?:^|\s)sd-tab-label(?=\s|$)/);
const REFERENCE = rememberedTest(
  /(?:^|\s)(?:footnote-ref|footnote-reference|footnote_reference|footnoteref|footref|footnote)(?=\s|$)/,
);
/** The name of a note, and the links back to where it is named, as Sphinx writes them. */
const NOTE_MARK = rememberedTest(/(?:^|\s)(?:label|backrefs)(?=\s|$)/);

interface Tabs {
  readonly list: ContentElement;
  readonly labels: readonly ContentElement[];
  /** The elements around the list, the innermost first. */
  readonly around: readonly ContentElement[];
}

/** Looks through a page's content once. */
export function prepared(content: ContentElement): Prepared {
  const byId = new Map<string, ContentElement>();
  const links: { link: ContentElement; id: string; own: (string | undefined)[] }[] = [];
  const tabs: Tabs[] = [];
  const languages = new Map<ContentElement, string>();
  const labels = new Map<ContentElement, string>();
  const skipped = new Set<ContentElement>();
  /** Panels with a label that no tab shows. */
  const labelled: ContentElement[] = [];
  const open: ContentElement[] = [];
  const see = (element: ContentElement, language: string): void => {
    const { tag, attributes } = element;
    let own = language;
    if (attributes.length > 0) {
      const id = attributeOf(element, "id");
      if (id !== undefined && !byId.has(id)) byId.set(id, element);
      if (tag === "a" && isReference(element)) {
        const href = attributeOf(element, "href") ?? "";
        const around = open.at(-1);
        const own = [element, ...(around ? [around] : [])].map((each) => attributeOf(each, "id"));
        if (href.startsWith("#")) links.push({ link: element, id: href.slice(1), own });
      }
      const classes = classesOf(element);
      const role = attributeOf(element, "role");
      if (role === "tablist" || (tag !== "pre" && TAB_LIST(classes))) {
        const found = labelsIn(element);
        if (found.length > 0) tabs.push({ list: element, labels: found, around: innermost(open) });
      } else if (tag === "label" && TAB_LABEL(classes)) {
        tabs.push({ list: element, labels: [element], around: innermost(open) });
      } else if (role === "tabpanel" && attributeOf(element, "aria-label") !== undefined) {
        labelled.push(element);
      }
      if (isDoubtful(classes) && isOfLinks(element)) skipped.add(element);
      if (tag !== "pre" && tag !== "code") own = namedBy(element) || language;
    }
    if (tag === "pre") {
      if (own !== "") languages.set(element, own);
      return;
    }
    open.push(element);
    for (const child of element.children) if (typeof child !== "string") see(child, own);
    open.pop();
  };
  see(content, "");
  for (const each of tabs.slice(0, MOST_TABS)) labelPanels(each, byId, labels, skipped);
  for (const panel of labelled) {
    const label = asLabel(attributeOf(panel, "aria-label") ?? "");
    if (label !== "" && !labels.has(panel)) labels.set(panel, label);
  }
  const references = new Map<ContentElement, string>();
  const notes = new Map<ContentElement, string>();
  for (const { link, id, own } of links) {
    const note = byId.get(id);
    if (note === undefined || !/^(?:li|aside|div|p|dd|dt|section)$/.test(note.tag)) continue;
    const name = notes.get(note) ?? (textOf(link).replace(/[^\p{L}\p{N}_-]/gu, "") || String(notes.size + 1));
    if (!notes.has(note)) {
      const back = firstBelow(
        note,
        (each) =>
          each.tag === "a" && own.some((of) => of !== undefined && attributeOf(each, "href") === `#${of}`),
      );
      // the name of the note, which leads back
      if (back && textOf(back).trim() === textOf(link).trim()) skipped.add(back);
      for (const child of note.children) {
        if (typeof child !== "string" && NOTE_MARK(classesOf(child))) skipped.add(child);
      }
    }
    notes.set(note, name);
    references.set(link, name);
  }
  return { labels, skipped, references, notes, languages };
}

/** The elements around the one that is read, the innermost first. */
function innermost(open: readonly ContentElement[]): ContentElement[] {
  return open.slice(-MOST_AROUND).reverse();
}

/** A text between the marks of a label. */
function asLabel(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_[\]<]/g, "\\$&");
}

/** Whether most of a text are links. */
function isOfLinks(element: ContentElement): boolean {
  const length = ({ children }: ContentElement, isLink: boolean): number =>
    children.reduce((sum, child) => {
      if (typeof child === "string") return sum + (isLink ? child.trim().length : 0);
      return sum + length(child, isLink || child.tag === "a");
    }, 0);
  return 2 * length(element, false) > length(element, true);
}

function isReference(link: ContentElement): boolean {
  return (
    attributeOf(link, "role") === "doc-noteref" ||
    attributeOf(link, "data-footnote-ref") !== undefined ||
    REFERENCE(classesOf(link)) ||
    /^fnref/.test(attributeOf(link, "id") ?? "")
  );
}

/** The labels of a list of tabs. */
function labelsIn(list: ContentElement): ContentElement[] {
  const found: ContentElement[] = [];
  const see = (element: ContentElement): void => {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (attributeOf(child, "role") === "tab" || child.tag === "label") found.push(child);
      else see(child);
    }
  };
  see(list);
  return found;
}

/** Gives each panel of tabs its label, and takes the list of labels away. Panels that are not found leave the list where it is. */
function labelPanels(
  { list, labels: tabs, around }: Tabs,
  byId: ReadonlyMap<string, ContentElement>,
  labels: Map<ContentElement, string>,
  skipped: Set<ContentElement>,
): void {
  const named = tabs.map((tab) =>
    byId.get(attributeOf(tab, "aria-controls") ?? attributeOf(tab, "href")?.slice(1) ?? ""),
  );
  const panels = named.every((each) => each !== undefined) ? named : panelsBeside(list, tabs.length, around);
  if (panels === undefined) return;
  skipped.add(list);
  for (const [index, panel] of panels.entries()) {
    const tab = tabs[index];
    const text = tab ? asLabel(textOf(tab)) : "";
    if (text !== "") labels.set(panel, text);
  }
}

function panelsBeside(
  list: ContentElement,
  count: number,
  around: readonly ContentElement[],
): readonly ContentElement[] | undefined {
  for (const [level, outer] of around.entries()) {
    const inner = level === 0 ? list : around[level - 1];
    const from = inner === undefined ? 0 : outer.children.indexOf(inner) + 1;
    const after = outer.children.slice(from, from + MOST_SIBLINGS);
    const elements = after.filter((child) => typeof child !== "string");
    const panels = elements.flatMap((each) => panelsIn(each, 0));
    if (panels.length >= count) return panels.slice(0, count);
    if (panels.length > 0 || level > 1) continue;
    const [only] = elements;
    if (count === 1 && only) return [only];
    const inside = only?.children.filter((child) => typeof child !== "string" && child.tag !== "input") as
      ContentElement[] | undefined;
    if (inside?.length === count) return inside;
  }
  return undefined;
}

/** The panels of an element: marked ones, without those in others. */
function panelsIn(element: ContentElement, depth: number): ContentElement[] {
  if (attributeOf(element, "role") === "tabpanel") return [element];
  if (depth > 4) return [];
  return element.children.flatMap((child) => (typeof child === "string" ? [] : panelsIn(child, depth + 1)));
}
