/** The value of an attribute of an element. */
export type Attribute = (name: string) => string | undefined;

/** Elements whose text is no content, wherever they are. */
const NEVER = new Set(
  "script style noscript template svg math iframe object canvas audio video textarea select datalist dialog nav".split(
    " ",
  ),
);
/** Elements whose text is no content outside of the main part, unless it is the header of a section. */
const AROUND = new Set(["header", "footer"]);
const SECTION = new Set(["section", "article"]);
/** Hidden elements that scripts fill or show for a moment, by their names and roles. Other hidden ones are panels of tabs and the like. */
const PASSING = new Set(["form", "label", "output", "progress"]);
const PASSING_ROLE = /^(?:alert|alertdialog|dialog|listbox|log|menu|progressbar|status|tooltip)$/i;
const PANEL_ROLE = /^(?:tabpanel|region)$/i;
/** Classes of what surrounds the content in generators that do not use the elements for it. */
const AROUND_CLASS =
  /(?:^|\s)(?:navheader|navfooter|sphinxsidebar|headerlink|(?:[\w-]*-)?breadcrumbs?|dropdown-menu|only-?print|print-only|toc|table-of-contents|pagination|skip-link|sr-only|visually-hidden)(?:\s|$)/i;
/** Columns and bars of menus beside the content, in generators without `<main>`. */
const COLUMN =
  /(?:^|\s)(?:navigationbar|col-sidebar|page-menu|site-menu|book-summary|side-?nav|sidebar-nav)(?:\s|$)/i;
/** Links to the pages before and after, unless it is a table: that is of things with which the page has to do. */
const RELATED = /(?:^|\s)related(?:\s|$)/;
/** A list of links beside the content or, as an `<aside>`, a note in it: the text tells. */
const SIDEBAR = /(?:^|\s)sidebar(?:\s|$)/i;
/** Classes of notes that generators write as an `<aside>`. */
const NOTE = /admonition|note|warning|tip|caution|danger|important|footnote|callout|topic/i;
const AROUND_ROLE = /^(?:navigation|search|banner|contentinfo)$/i;
/** What a link of its page leads to is content, if it is one of these: the panel of a tab. */
const LINKED = new Set(["div", "section", "article", "dd", "li"]);
/** Classes and attributes of buttons that name a tab or a part of an accordion, in sites that do not use roles. */
const OPENER =
  /^(?:[\w-]*[-_])?(?:tab|tabs?[-_]*(?:link|button|btn|label|item|title|header|trigger|control)s?|accordion(?:[-_]*(?:button|btn|label|item|title|header|heading|trigger|toggle))?|collapsible)$/i;
const TOGGLED = /^(?:tab|pill|collapse)$/i;
/** Most ids of panels that are remembered. */
const MOST_PANELS = 5_000;

/** Where an element is. */
interface Surroundings {
  readonly isInMain: boolean;
  readonly isInHeading: boolean;
  readonly isInSection: boolean;
}

/** Tells which elements of a page have content, which a reader can see or open. */
export class ContentElements {
  /** Ids of elements that others of the page open. */
  readonly #panels = new Set<string>();
  /** Ids that links of the page lead to. */
  readonly #linked = new Set<string>();

  /** Remembers what an element opens or leads to: a panel of a tab or of an accordion, but no menu. */
  note(attribute: Attribute): void {
    if (this.#panels.size + this.#linked.size >= MOST_PANELS) return;
    const opened = isMenuButton(attribute) ? undefined : attribute("aria-controls");
    for (const id of opened?.split(/\s+/) ?? []) this.#panels.add(id);
    for (const name of ["href", "data-target", "data-bs-target"]) {
      const link = attribute(name);
      if (link?.startsWith("#") === true) this.#linked.add(link.slice(1));
    }
  }

  /** Whether the text of an element is no content. */
  isLeftOut(
    tag: string,
    attribute: Attribute,
    { isInMain, isInHeading, isInSection }: Surroundings,
  ): boolean {
    if (tag === "template" && attribute("shadowrootmode") !== undefined) return false; // browsers show it
    if (NEVER.has(tag) || attribute("data-pagefind-ignore") !== undefined) return true;
    const role = attribute("role") ?? "";
    if (attribute("hidden") !== undefined && (PASSING.has(tag) || PASSING_ROLE.test(role))) return true;
    if (attribute("aria-hidden") === "true" && !this.#isPanel(tag, role, attribute)) return true;
    if (tag === "button") return !isInHeading && !isDisclosure(role, attribute);
    const classes = attribute("class") ?? "";
    if (AROUND_CLASS.test(classes) || (RELATED.test(classes) && tag !== "table")) {
      return !isMainPart(tag, attribute);
    }
    if (SIDEBAR.test(classes) && tag !== "aside") return !isMainPart(tag, attribute);
    if (isInMain) return false;
    if (isColumn(classes)) return true;
    return (AROUND.has(tag) && !(tag === "header" && isInSection)) || AROUND_ROLE.test(role);
  }

  /** Whether an element is the content of a tab or of an accordion. */
  #isPanel(tag: string, role: string, attribute: Attribute): boolean {
    if (PANEL_ROLE.test(role) || attribute("aria-labelledby") !== undefined) return true;
    const id = attribute("id") ?? "";
    return this.#panels.has(id) || (LINKED.has(tag) && this.#linked.has(id));
  }
}

/** Whether a button opens a menu, whose text is no content. */
function isMenuButton(attribute: Attribute): boolean {
  return (attribute("aria-haspopup") ?? "false") !== "false";
}

/** Whether a button is the name of a tab or of a part of an accordion. */
export function isDisclosure(role: string, attribute: Attribute): boolean {
  if (/^tab$/i.test(role)) return true;
  if (isMenuButton(attribute)) return false;
  if (attribute("aria-expanded") !== undefined || attribute("aria-controls") !== undefined) return true;
  if (TOGGLED.test(attribute("data-bs-toggle") ?? attribute("data-toggle") ?? "")) return true;
  return (attribute("class") ?? "").split(/\s+/).some((name) => OPENER.test(name));
}

/** Whether an element with these classes is a column of menus beside the content, if it is outside of the main part. */
export function isColumn(classes: string): boolean {
  return COLUMN.test(classes);
}

/** Whether an element has its own header. */
export function isSection(tag: string): boolean {
  return SECTION.has(tag);
}

/** Whether an `<aside>` is a list of links or a note, wherever it is: the text tells. */
export function isSidebar(attribute: Attribute): boolean {
  return SIDEBAR.test(attribute("class") ?? "");
}

/** Whether an `<aside>` with these classes is a note of the content. */
export function isNote(classes: string): boolean {
  return NOTE.test(classes);
}

/** Whether an element is hidden until it is opened in a way that no address does. */
export function isHidden(attribute: Attribute): boolean {
  const hidden = attribute("hidden");
  return hidden !== undefined && !/^until-found$/i.test(hidden);
}

export function isMainPart(tag: string, attribute: Attribute): boolean {
  return tag === "main" || attribute("role") === "main" || attribute("data-pagefind-body") !== undefined;
}
