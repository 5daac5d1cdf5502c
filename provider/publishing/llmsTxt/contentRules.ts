import {
  type Attribute,
  classesLeftOut,
  elementsLeftOut,
  idsLeftOut,
  isMainPart,
  isMenuButton,
  isNote,
  isPanel,
  isRelated,
  isSection,
  isSidebar,
  rolesLeftOut,
} from "../sitePages/contentTable";
import { attributeOf, classesOf, type ContentElement } from "./contentElement";
import { remembered, rememberedTest } from "./rememberedClasses";

/** Where an element is. */
interface MarkdownPlace {
  readonly isInMain: boolean;
  readonly isInCode: boolean;
}

/** Scripts with mathematics are content. */
const NEVER = elementsLeftOut("markdown", "everywhere");
/** Elements that are no content outside of the main part. */
const AROUND = elementsLeftOut("markdown", "outsideMain");
/** Of these, what belongs to the section that it is in. */
const OF_SECTION = new Set(["header", "aside"]);
const AROUND_ROLE = rolesLeftOut("markdown", "outsideMain");
/** Roles of what only helps to move on the page, or is shown for a moment. */
const NEVER_ROLE = rolesLeftOut("markdown", "everywhere");
const AROUND_CLASS = classesLeftOut("markdown", "everywhere");
const OUTSIDE = classesLeftOut("markdown", "outsideMain");
const OUTSIDE_ID = rememberedTest(idsLeftOut("markdown", "outsideMain"));
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
/** What classes tell of an element that is not in code: one look for all of it. */
const MEANING = remembered((classes) => ({
  isLineNumbers: LINE_NUMBERS.test(classes),
  isOutside: OUTSIDE.test(classes),
  isRelated: isRelated(classes),
  isAround: AROUND_CLASS.test(classes),
}));
/** Elements around which a footer belongs to the content: the source of a quotation, for example. */
const HAS_FOOTER = new Set(["blockquote", "figure", "table"]);

/** Whether an element is the main part of a page. */
export function isMain(element: ContentElement): boolean {
  return isMainPart(element.tag, attributesOf(element));
}

/** Whether an element that only styles what is in it is needed in the tree. */
export function isMeant(element: ContentElement): boolean {
  return element.attributes.length > 0 && MEANT_CLASS(classesOf(element));
}

/** Whether an element that only styles what is in it stands apart from what is beside it. */
export function standsApart(element: ContentElement): boolean {
  return element.attributes.length > 0 && APART_CLASS(classesOf(element));
}

/** Whether an element is not content, with all that is in it. @param open the elements around it, the innermost last */
export function isLeftOut(
  element: ContentElement,
  open: readonly ContentElement[],
  place: MarkdownPlace,
): boolean {
  const { tag, attributes } = element;
  if (tag === "footer") return !open.some((each) => HAS_FOOTER.has(each.tag));
  if (NEVER.has(tag)) return true;
  if (tag === "template") return attributeOf(element, "shadowrootmode") === undefined;
  if (tag === "script") return !/^math\//i.test(attributeOf(element, "type") ?? "");
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
  if (attributeOf(element, "aria-hidden") === "true" && !isPanel(role, attributesOf(element))) return true;
  const meaning = MEANING(classes);
  if (meaning.isLineNumbers && /^(?:td|div|th|pre)$/.test(tag)) return true;
  if (!place.isInMain && (meaning.isOutside || OUTSIDE_ID(attributeOf(element, "id") ?? ""))) {
    return !isMain(element);
  }
  if (meaning.isRelated && tag !== "table") return !isMain(element);
  return meaning.isAround && !isMain(element) && !/^h[1-6]$/.test(tag);
}

/** Whether an element of {@link AROUND} is content without a main part, too: notes of generators, and what a section has. */
function isOfContent(element: ContentElement, open: readonly ContentElement[]): boolean {
  const { tag } = element;
  if (OF_SECTION.has(tag) && open.some((each) => isSection(each.tag))) return true;
  return tag === "aside" && isNote(classesOf(element));
}

/** Whether a button is the name of a tab, of a part of an accordion, or of an item of a list. */
function isLabel(element: ContentElement, open: readonly ContentElement[]): boolean {
  const role = attributeOf(element, "role") ?? "";
  if (/^tab$/i.test(role)) return true;
  // that of a folder in a tree of files
  if (open.at(-1)?.tag === "li") return true;
  if (isMenuButton(attributesOf(element))) return false;
  const opens = attributeOf(element, "aria-expanded") ?? attributeOf(element, "aria-controls");
  return (
    opens !== undefined &&
    (!open.some(({ tag }) => tag === "header") || open.some(({ tag }) => /^h[1-6]$/.test(tag)))
  );
}

/** Whether the classes are those of a list of links beside the content, or of a note in it: the text tells. */
export const isDoubtful: (classes: string) => boolean = remembered(isSidebar);

/** Whether an element has code: the fragments of Doxygen are no `<pre>`. */
export function isCode(element: ContentElement): boolean {
  return element.tag === "pre" || (element.tag === "div" && /^fragment$/.test(classesOf(element)));
}

function attributesOf(element: ContentElement): Attribute {
  return (name) => attributeOf(element, name);
}
