import { attributeOf, classesOf, type ContentElement, type ContentNode } from "./contentElement";

/** Classes that name the language of code. */
const LANGUAGE_CLASS =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|src-|brush:\s*|sourceCode\s+|code-)([\w+#.-]+)/i;
/** What these name is no language. */
const NO_LANGUAGE =
  /^(?:default|none|notranslate|text-wrap|block|plain|nohighlight|highlight|highlighter-\w+|wrapper|example|snippet|line|lines|inner|copy|container|toolbar|title|body|content|group)$/i;
/** Elements of code that are lines of their own. */
const LINE = new Set(["div", "p", "li", "tr"]);

/** The language of code: from its own classes, those of the element in it, or of those around it. */
export function languageOf(code: ContentElement, around: ReadonlyMap<ContentElement, string>): string {
  for (const each of [code, ...code.children]) {
    const own = typeof each === "string" ? "" : namedBy(each);
    if (own !== "") return own;
  }
  return around.get(code) ?? "";
}

/** The language that an element names; empty if it names none. */
export function namedBy(element: ContentElement): string {
  if (element.attributes.length === 0) return "";
  const given = attributeOf(element, "data-lang") ?? attributeOf(element, "data-language");
  const named =
    given ??
    LANGUAGE_CLASS.exec(classesOf(element))?.[1] ??
    (/\bmermaid\b/.test(classesOf(element)) ? "mermaid" : "");
  return NO_LANGUAGE.test(named) || !/^[\w+#.-]{1,40}$/.test(named) ? "" : named.toLowerCase();
}

/** The text of code, line by line, without an empty one at its beginning and end. */
export function linesOf(code: ContentElement): string {
  const pieces: string[] = [];
  collect(code.children, pieces);
  return pieces.join("").replace(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd().replaceAll("\u200b", "");
}

function collect(nodes: readonly ContentNode[], pieces: string[]): void {
  for (const node of nodes) {
    if (typeof node === "string") pieces.push(node);
    else if (node.tag === "br") pieces.push("\n");
    else {
      const isLine = LINE.has(node.tag);
      if (isLine) endLine(pieces);
      collect(node.children, pieces);
      if (isLine) endLine(pieces);
    }
  }
}

function endLine(pieces: string[]): void {
  const last = pieces.at(-1);
  if (last !== undefined && !last.endsWith("\n")) pieces.push("\n");
}
