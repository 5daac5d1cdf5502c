import { isColumn, isNote } from "../offlineSearch/contentElements";
import { attributeOf, classesOf, type ContentElement } from "./contentElement";
import { remembered, rememberedTest } from "./rememberedClasses";

/** Where an element is. */
interface Place {
  readonly isInMain: boolean;
  readonly isInCode: boolean;
}

/** Elements that are no content, wherever they are. Scripts with mathematics are. */
const NEVER = new Set(
  (
    "style noscript iframe object embed canvas audio video textarea select datalist dialog nav title area track source " +
    "progress meter annotation-xml"
  ).split(" "),
);
/** Elements that are no content outside of the main part. */
const AROUND = new Set(["header", "footer", "aside", "form", "search"]);
/** Of these, what belongs to the section that it is in. */
const OF_SECTION = new Set(["header", "aside"]);
const AROUND_ROLE = /^(?:navigation|search|banner|contentinfo|complementary)$/i;
/** Roles of what only helps to move on the page, or is shown for a moment. */
const NEVER_ROLE =
  /^(?:navigation|search|alertdialog|dialog|listbox|menu|menubar|progressbar|tooltip|toolbar)$/i;
/** Classes of what surrounds the content, or helps to move in it, in generators that use no elements for it. */
const AROUND_CLASS = new RegExp(
  String.raw`(?:^|\s)(?:${[
    "navheader|navfooter|docnav|navigation|sphinxsidebar\\S*|headerlink|hash-link|header-anchor|anchorjs-link|permalink",
    "(?:[\\w-]*-)?breadcrumbs?|dropdown-menu|only-?print|print-only|toc|table-of-contents|contents-nav|pagination|pagination-nav|pager",
    "skip-link|skip-to-content|sr-only|visually-hidden|screen-reader-text|theme-doc-toc-\\S+|theme-edit-this-page|theme-doc-footer",
    "edit-this-page|edit-page-link|copy-?button|copybtn|copy-code-button|clipboard-button|md-clipboard|cookie-\\S+|cookieconsent|cc-window",
    "md-search|md-source-file|md-content__button|vp-doc-footer|VPDocFooter|prev-next-\\S+|rst-footer-buttons|wy-breadcrumbs",
    "viewcode-link|viewcode-back|source-link-button|nav-wrapper|nav-chapters|footnote-backref|footnote-back|fn-backref|data-footnote-backref",
  ].join("|")})(?=\s|$)`,
  "i",
);
/** Links to the pages before and after, unless it is a table: that is of things with which the page has to do. */
const RELATED = /(?:^|\s)related(?=\s|$)/;
/** Classes and ids that mean this outside of the main part only. */
const OUTSIDE = rememberedTest(
  /(?:^|\s)(?:menu|mainmenu|menubar|navbar|nav|topnav|bottomnav|subnav|topbar|footer|page-footer|site-footer|site-header|titlearea|navpath|nosearch|search)(?=\s|$)/i,
);
/** Within code: numbers of lines, prompts and buttons. */
const BESIDE_CODE = rememberedTest(
  /(?:^|\s)(?:linenos?|linenodiv|lineno|linenumbers?|line-numbers?(?:-rows)?|lnt|ln|gl|gutter|hljs-ln-numbers|rouge-gutter|rouge-line-numbers|gp|prompt|hljs-prompt|copybtn|copy)(?=\s|$)/i,
);
const LINE_NUMBERS =
  /(?:^|\s)(?:linenos?|lineno|lines|linenodiv|lnt|gutter|hljs-ln-numbers|rouge-gutter|line-numbers-wrapper|line-numbers-rows)(?=\s|$)/i;
/** Spans that mean something. */
const MEANT_CLASS = rememberedTest(
  /(?:^|\s)(?:katex|katex-display|katex-mathml|math|arithmatex|mathjax\S*|MathJax\S*|label|backrefs)(?=\s|$)/,
);
/** Spans of a card that a browser shows one below the other. */
const APART_CLASS = rememberedTest(/(?:^|\s)(?:title|description)(?=\s|$)/);
const PANEL_ROLE = /^(?:tabpanel|region)$/i;
/** What classes tell of an element that is not in code: one look for all of it. */
const MEANING = remembered((classes) => ({
  isLineNumbers: LINE_NUMBERS.test(classes),
  isOutside: OUTSIDE(classes) || isColumn(classes),
  isRelated: RELATED.test(classes),
  isAround: AROUND_CLASS.test(classes),
}));
/** Elements around which a footer belongs to the content: the source of a quotation, for example. */
const HAS_FOOTER = new Set(["blockquote", "figure", "table"]);

/** Whether an element is the main part of a page. */
export function isMain(element: ContentElement): boolean {
  const { tag } = element;
  return (
    tag === "main" ||
    attributeOf(element, "role") === "main" ||
    attributeOf(element, "data-pagefind-body") !== undefined
  );
}

/** Whether an element that only styles what is in it is needed in the tree. */
export function isMeant(element: ContentElement): boolean {
  return element.attributes.length > 0 && MEANT_CLASS(classesOf(element));
}

/** Whether an element that only styles what is in it stands apart from what is beside it. */
export function standsApart(element: ContentElement): boolean {
  return element.attributes.length > 0 && APART_CLASS(classesOf(element));
}

/** Whether an element is no content, with all that is in it. @param open the elements around it, the innermost last */
export function isLeftOut(element: ContentElement, open: readonly ContentElement[], place: Place): boolean {
  const { tag, attributes } = element;
  if (NEVER.has(tag)) return true;
  if (tag === "template") return attributeOf(element, "shadowrootmode") === undefined;
  if (tag === "script") return !/^math\//i.test(attributeOf(element, "type") ?? "");
  if (tag === "footer") return !open.some((each) => HAS_FOOTER.has(each.tag));
  if (!place.isInMain && !place.isInCode && AROUND.has(tag) && !isOfContent(element, open)) return true;
  if (tag === "button") return !isLabel(element, open);
  // the name of the language above code, which the code has, too
  if (tag === "span" && classesOf(element) === "lang") {
    return /(?:^|\s)language-/.test(classesOf(open.at(-1) ?? element));
  }
  if (attributes.length === 0) return false;
  const classes = classesOf(element);
  if (place.isInCode) return tag !== "code" && BESIDE_CODE(classes);
  const role = attributeOf(element, "role") ?? "";
  if (NEVER_ROLE.test(role) || (!place.isInMain && AROUND_ROLE.test(role))) return true;
  if (role === "doc-backlink" || attributeOf(element, "data-footnote-backref") !== undefined) return true;
  if (attributeOf(element, "aria-hidden") === "true" && !isPanel(element, role)) return true;
  const meaning = MEANING(classes);
  if (meaning.isLineNumbers && /^(?:td|div|th|pre)$/.test(tag)) return true;
  if (!place.isInMain && (meaning.isOutside || OUTSIDE(attributeOf(element, "id") ?? ""))) {
    return !isMain(element);
  }
  if (meaning.isRelated && tag !== "table") return true;
  return meaning.isAround && !isMain(element) && !/^h[1-6]$/.test(tag);
}

/** Whether an element of {@link AROUND} is content without a main part, too: notes of generators, and what a section has. */
function isOfContent(element: ContentElement, open: readonly ContentElement[]): boolean {
  const { tag } = element;
  if (OF_SECTION.has(tag) && open.some((each) => each.tag === "section" || each.tag === "article")) {
    return true;
  }
  if (tag !== "aside") return false;
  return isNote(classesOf(element));
}

/** Whether a button is the name of a tab, of a part of an accordion, or of an item of a list. */
function isLabel(element: ContentElement, open: readonly ContentElement[]): boolean {
  const role = attributeOf(element, "role") ?? "";
  if (/^tab$/i.test(role)) return true;
  // that of a folder in a tree of files
  if (open.at(-1)?.tag === "li") return true;
  if ((attributeOf(element, "aria-haspopup") ?? "false") !== "false") return false;
  const opens = attributeOf(element, "aria-expanded") ?? attributeOf(element, "aria-controls");
  return (
    opens !== undefined &&
    (!open.some(({ tag }) => tag === "header") || open.some(({ tag }) => /^h[1-6]$/.test(tag)))
  );
}

/** Whether an element is the content of a tab or of a part of an accordion. */
function isPanel(element: ContentElement, role: string): boolean {
  return PANEL_ROLE.test(role) || attributeOf(element, "aria-labelledby") !== undefined;
}

/** Whether the classes are those of a list of links beside the content, or of a note in it: the text tells. */
export const isDoubtful: (classes: string) => boolean = rememberedTest(/(?:^|\s)sidebar(?=\s|$)/i);

/** Whether an element has code: the fragments of Doxygen are no `<pre>`. */
export function isCode(element: ContentElement): boolean {
  return element.tag === "pre" || (element.tag === "div" && /^fragment$/.test(classesOf(element)));
}
