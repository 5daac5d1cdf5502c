import { attributeOf, classesOf, type ContentElement, type ContentNode } from "./contentElement";
import { remembered } from "./rememberedClasses";

/** Classes that name the language of code. */
const LANGUAGE_CLASS =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|src-|brush:\s*|sourceCode\s+|code-)([\w+#.-]+)/i;
/** What these name is not a language. */
const NO_LANGUAGE =
  /^(?:default|none|notranslate|text-wrap|block|plain|nohighlight|highlight|highlighter-\w+|wrapper|example|snippet|line|lines|inner|copy|container|toolbar|title|body|content|group)$/i;
/** Elements that have code, one in another. */
const OF_CODE = new Set(["pre", "code"]);
/** Elements of code that are lines of their own. */
const LINE = new Set(["div", "p", "li", "tr"]);

/** The language of code: from its own classes, those of the elements that it is in, or of those around it. */
export function languageOf(code: ContentElement, around: ReadonlyMap<ContentElement, string>): string {
  for (let each: ContentElement | undefined = code; each; each = elementOfCode(each)) {
    const own = namedBy(each);
    if (own !== "") return own;
  }
  return around.get(code) ?? "";
}

/** The element that has the code of another one: `<code>` in `<pre>`, or `<pre>` in `<pre>`. */
function elementOfCode({ children }: ContentElement): ContentElement | undefined {
  return children.find(
    (child): child is ContentElement => typeof child !== "string" && OF_CODE.has(child.tag),
  );
}

/** The language that an element names; empty if it names none. */
export function namedBy(element: ContentElement): string {
  if (element.attributes.length === 0) return "";
  const given = attributeOf(element, "data-lang") ?? attributeOf(element, "data-language");
  return given === undefined ? namedByClasses(classesOf(element)) : languageNamed(given);
}

const namedByClasses = remembered((classes) =>
  languageNamed(LANGUAGE_CLASS.exec(classes)?.[1] ?? (/\bmermaid\b/.test(classes) ? "mermaid" : "")),
);

function languageNamed(name: string): string {
  return NO_LANGUAGE.test(name) || !/^[\w+#.-]{1,40}$/.test(name) ? "" : name.toLowerCase();
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
