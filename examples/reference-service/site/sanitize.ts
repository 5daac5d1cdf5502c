import { type Element, elementsOf, type Fragment, removeAttribute, replace, unwrap } from "./htmlTree.ts";

/** Elements that raw HTML in Markdown may use: the list of code hosts, plus local media. */
const ALLOWED_ELEMENTS = new Set(
  `h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p picture source ol ul table thead tbody
  tfoot blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th caption colgroup col s strike summary details figure
  figcaption abbr bdo cite dfn mark small span time wbr u center video audio track`.split(/\s+/),
);

/** Elements that load, run or are no text for readers. Of any other unknown element only the tags are removed. */
const REMOVED_WITH_CONTENT = new Set(
  "script style iframe frame frameset noframes noscript object embed applet base link meta template svg math title textarea select button".split(
    " ",
  ),
);

/** No `style`, no `on…`: the site must work under a policy that forbids inline styles and scripts. */
const ALLOWED_ATTRIBUTES = new Set(
  `href src srcset poster media type alt title id name lang dir width height align colspan rowspan headers scope start value
  reversed open datetime cite kind label srclang controls loop muted`.split(/\s+/),
);

/** The author's warning about an element that was removed. */
export const TAKEN_OUT = "was taken out, the site is to be self-contained";

const LANGUAGE_CLASS = /^language-\S+$/;
const TEXT_ALIGN = /text-align:\s*(left|right|center)/i;

/**
 * Keeps what is safe and self-contained, and reports the removed elements for the author's warnings. Alignment, the one inline
 * style that Markdown tables themselves produce, becomes a class of the site's stylesheet.
 */
export function sanitize(tree: Fragment): string[] {
  const removed: string[] = [];
  for (const element of elementsOf(tree)) {
    if (REMOVED_WITH_CONTENT.has(element.tagName)) {
      removed.push(element.tagName);
      replace(element);
    } else if (!ALLOWED_ELEMENTS.has(element.tagName)) {
      unwrap(element);
    } else {
      sanitizeAttributes(element);
    }
  }
  dropComments(tree);
  return removed;
}

function sanitizeAttributes(element: Element): void {
  const style = element.attrs.find(({ name }) => name === "style")?.value ?? "";
  const alignment = TEXT_ALIGN.exec(style)?.[1] ?? element.attrs.find(({ name }) => name === "align")?.value;
  element.attrs = element.attrs.filter(
    ({ name, value }) => ALLOWED_ATTRIBUTES.has(name) || (name === "class" && LANGUAGE_CLASS.test(value)),
  );
  removeAttribute(element, "align");
  if (alignment && /^(left|right|center)$/i.test(alignment)) {
    element.attrs.push({ name: "class", value: `align-${alignment.toLowerCase()}` });
  }
}

function dropComments(parent: Fragment | Element): void {
  parent.childNodes = parent.childNodes.filter((node) => node.nodeName !== "#comment");
  for (const node of parent.childNodes) if ("tagName" in node) dropComments(node);
}
