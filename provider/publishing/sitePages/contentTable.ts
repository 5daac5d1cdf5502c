// What of a page is not content. The search and the Markdown of pages read the same table; each row says what each of them leaves out.

/** Who reads the content of pages. */
type ContentUse = "search" | "markdown";
/** Where something is not content. `hidden`: where the page does not show it. */
type LeftOutWhere = "everywhere" | "outsideMain" | "hidden";

interface ContentRow {
  /** Names, separated by spaces; of classes, parts of regular expressions. */
  readonly names: string;
  /** Where the search leaves it out; not given: nowhere by this table. */
  readonly search?: LeftOutWhere;
  /** Where the Markdown leaves it out; not given: nowhere by this table. */
  readonly markdown?: LeftOutWhere;
  /** Whether an id of this name means the same. */
  readonly areIds?: true;
}

const ELEMENTS: readonly ContentRow[] = [
  {
    names: "style noscript iframe object canvas audio video textarea select datalist dialog nav",
    search: "everywhere",
    markdown: "everywhere",
  },
  // the Markdown has mathematics
  { names: "script template svg math", search: "everywhere" },
  { names: "embed title area track source meter annotation-xml", markdown: "everywhere" },
  { names: "progress", search: "hidden", markdown: "everywhere" },
  { names: "header", search: "outsideMain", markdown: "outsideMain" },
  { names: "footer", search: "outsideMain", markdown: "everywhere" },
  // of these, their text tells the search whether it is content
  { names: "form", search: "hidden", markdown: "outsideMain" },
  { names: "aside search", markdown: "outsideMain" },
  // scripts fill these, or show them for a moment; other hidden elements are panels of tabs and the like
  { names: "label output", search: "hidden" },
];

const ROLES: readonly ContentRow[] = [
  { names: "navigation search", search: "outsideMain", markdown: "everywhere" },
  { names: "banner contentinfo", search: "outsideMain", markdown: "outsideMain" },
  { names: "complementary", markdown: "outsideMain" },
  {
    names: "alertdialog dialog listbox menu progressbar tooltip",
    search: "hidden",
    markdown: "everywhere",
  },
  { names: "alert log status", search: "hidden" },
  { names: "menubar toolbar", markdown: "everywhere" },
];

/** Classes of what surrounds the content, or helps to move in it, in generators that use no elements for it. */
const CLASSES: readonly ContentRow[] = [
  {
    names: String.raw`navheader navfooter sphinxsidebar headerlink (?:[\w-]*-)?breadcrumbs? dropdown-menu only-?print print-only toc
      table-of-contents pagination skip-link sr-only visually-hidden`,
    search: "everywhere",
    markdown: "everywhere",
  },
  {
    names: String.raw`docnav navigation sphinxsidebar\S+ hash-link header-anchor anchorjs-link permalink contents-nav pagination-nav pager
      skip-to-content screen-reader-text theme-doc-toc-\S+ theme-edit-this-page theme-doc-footer edit-this-page edit-page-link copy-?button
      copybtn copy-code-button clipboard-button md-clipboard cookie-\S+ cookieconsent cc-window md-search md-source-file
      md-content__button vp-doc-footer VPDocFooter prev-next-\S+ rst-footer-buttons viewcode-link viewcode-back source-link-button
      nav-wrapper nav-chapters footnote-backref footnote-back fn-backref data-footnote-backref`,
    markdown: "everywhere",
  },
  // columns and bars of menus beside the content, in generators without `<main>`
  {
    names: "navigationbar col-sidebar page-menu site-menu book-summary side-?nav sidebar-nav",
    search: "outsideMain",
    markdown: "outsideMain",
  },
  {
    names: `menu mainmenu menubar navbar nav topnav bottomnav subnav topbar footer page-footer site-footer site-header titlearea navpath
      nosearch search`,
    markdown: "outsideMain",
    areIds: true,
  },
];

/** Links to the pages before and after. A table is of things with which the page has to do. */
const RELATED = /(?:^|\s)related(?=\s|$)/;
/** A list of links beside the content or, as an `<aside>`, a note in it: the text tells. */
const SIDEBAR = /(?:^|\s)sidebar(?=\s|$)/i;
/** Classes of notes that generators write as an `<aside>`. */
const NOTE = /admonition|note|warning|tip|caution|danger|important|footnote|callout|topic/i;
const PANEL_ROLE = /^(?:tabpanel|region)$/i;
const SECTION = new Set(["section", "article"]);

/** The elements that a reader leaves out there. */
export function elementsLeftOut(reader: ContentUse, place: LeftOutWhere): ReadonlySet<string> {
  return new Set(namesIn(ELEMENTS, reader, place));
}

/** Fits the roles of elements that a reader leaves out there. */
export function rolesLeftOut(reader: ContentUse, place: LeftOutWhere): RegExp {
  return new RegExp(`^(?:${namesIn(ROLES, reader, place).join("|")})$`, "i");
}

/** Fits the classes of elements that a reader leaves out there. */
export function classesLeftOut(reader: ContentUse, place: LeftOutWhere): RegExp {
  return wordOf(namesIn(CLASSES, reader, place));
}

/** Fits the ids of elements that a reader leaves out there. */
export function idsLeftOut(reader: ContentUse, place: LeftOutWhere): RegExp {
  return wordOf(
    namesIn(
      CLASSES.filter(({ areIds }) => areIds),
      reader,
      place,
    ),
  );
}

function wordOf(names: readonly string[]): RegExp {
  return new RegExp(String.raw`(?:^|\s)(?:${names.join("|")})(?=\s|$)`, "i");
}

function namesIn(rows: readonly ContentRow[], reader: ContentUse, place: LeftOutWhere): string[] {
  return rows.filter((row) => row[reader] === place).flatMap(({ names }) => names.split(/\s+/));
}

/** The value of an attribute of an element. */
export type Attribute = (name: string) => string | undefined;

/** Whether an element is the main part of a page: content, whatever its classes. */
export function isMainPart(tag: string, attribute: Attribute): boolean {
  return tag === "main" || attribute("role") === "main" || attribute("data-pagefind-body") !== undefined;
}

/** Whether an element has its own header. */
export function isSection(tag: string): boolean {
  return SECTION.has(tag);
}

/** Whether an element with these classes, unless it is a table, has links to the pages before and after. */
export function isRelated(classes: string): boolean {
  return RELATED.test(classes);
}

/** Whether the classes are those of a list of links beside the content, or of a note in it: the text tells. */
export function isSidebar(classes: string): boolean {
  return SIDEBAR.test(classes);
}

/** Whether an `<aside>` with these classes is a note of the content. */
export function isNote(classes: string): boolean {
  return NOTE.test(classes);
}

/** Whether an element says itself that it is the content of a tab or of a part of an accordion. */
export function isPanel(role: string, attribute: Attribute): boolean {
  return PANEL_ROLE.test(role) || attribute("aria-labelledby") !== undefined;
}

/** Whether a button opens a menu, whose text is not content. */
export function isMenuButton(attribute: Attribute): boolean {
  return (attribute("aria-haspopup") ?? "false") !== "false";
}
