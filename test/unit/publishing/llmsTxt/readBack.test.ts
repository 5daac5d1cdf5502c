// Readers of the Markdown see the words of the page: white space, marks and their neighbours.
import MarkdownIt from "markdown-it";
import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";
import { seededRandom } from "../../../simulation/seededRandom.ts";

const READER = new MarkdownIt({ html: true });
const page = (content: string): string => `<main><h1>Title</h1>${content}</main>`;
const markdownOf = (content: string): string =>
  readMarkdown(Buffer.from(page(content))).markdown.replaceAll("\0", "");

/** Elements whose words stand apart from those around them. */
const APART = new Set(["br", "h1", "h2", "li", "p", "td", "th", "tr"]);

/** The words of a page, and its blocks in their order. */
function seen(html: string): { readonly words: string; readonly blocks: readonly string[] } {
  let words = "";
  const blocks: string[] = [];
  const see = (node: DefaultTreeAdapterTypes.Node): void => {
    if (tree.isTextNode(node)) words += node.value;
    const space = APART.has(node.nodeName) ? " " : "";
    if (/^(?:blockquote|h\d|hr|img|li|ol|p|pre|table|ul)$/.test(node.nodeName)) blocks.push(node.nodeName);
    words += space;
    if ("childNodes" in node) for (const child of node.childNodes) see(child);
    words += space;
  };
  see(parse(html));
  return { words: words.replace(/\s+/g, " ").trim(), blocks };
}

describe("a text is written as", () => {
  test.each([
    ['see the <a href="y">Guide </a>for more', "see the [Guide](y) for more"],
    ['see the<a href="y"> Guide</a>', "see the [Guide](y)"],
    ["press <kbd>Ctrl </kbd>now", "press <kbd>Ctrl</kbd> now"],
    ["<b>Parameters:<br></b>name", "**Parameters:** name"],
    ["one<b><br>two</b>", "one **two**"],
    ["* a required field", "\\* a required field"],
    ["a<br>* b", "a\\\n\\* b"],
    ['Welcome!<a href="y">Begin</a>', "Welcome\\![Begin](y)"],
    ["<del>~5</del> 6", "<del>~5</del> 6"],
    ["<del>5</del>~6", "<del>5</del>~6"],
    ["<i>* note</i>", "<em>* note</em>"],
  ])("%s", (html, markdown) => {
    expect(markdownOf(`<p>${html}</p>`)).toBe(`# Title\n\n${markdown}`);
    expect(seen(READER.render(markdown))).toEqual(seen(`<p>${html}</p>`));
  });

  test("a heading that ends with a number sign", () => {
    expect(markdownOf("<h2>C #</h2>")).toBe("# Title\n\n## C \\#");
    expect(markdownOf("<h2>C#</h2>")).toBe("# Title\n\n## C#");
  });
});

describe("a list in a list", () => {
  test.each([
    ["begins with 4", "<ul><li>a<ol start=4><li>b<li>c</ol></ul>", "- a\n\n  4. b\n  5. c"],
    ["begins with 1", "<ul><li>a<ol><li>b<li>c</ol></ul>", "- a\n  1. b\n  2. c"],
    ["begins with a line across", "<ul><li><ul><li><hr>a</ul></ul>", "- - ***\n\n    a"],
  ])("%s", (_, html, markdown) => {
    expect(markdownOf(html)).toBe(`# Title\n\n${markdown}`);
    const { words, blocks } = seen(READER.render(markdown));
    expect({ words, blocks: blocks.filter((each) => each !== "p") }).toEqual(seen(html));
  });
});

const PIECES = (
  "* _ ` [ ] ( ) &lt; &gt; &amp; # ## - + 1. 2) | ~ ~~ \\ ! : = --- *** ___ a b word x_y http://x.y/ &lt;b&gt; &lt;!-- &amp;amp; " +
  "&quot; ' $ ^ { } `` ``` ~~~ [x] [^1] 1986 ."
).split(" ");
const BLOCKS = [
  (text: string) => `<p>${text}</p>`,
  (text: string) => `<h2>${text}</h2>`,
  (text: string) => `<ul><li><p>${text}</p><p>${text}</p></li></ul>`,
  (text: string) => `<blockquote><p>${text}</p></blockquote>`,
  (text: string) =>
    `<table><thead><tr><th>h</th></tr></thead><tbody><tr><td>${text}</td></tr></tbody></table>`,
];
const MARKS = ["b", "i", "code", "del", "kbd", 'a href="y"'];

test.each([1, 2, 3])("random texts beside marks and line breaks are read back, seed %i", (seed) => {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const textOf = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () =>
      random() < 0.25 ? " " : pick(PIECES),
    ).join("");
  const part = (): string => {
    if (random() < 0.1) return "<br>";
    const [mark, text] = [pick(MARKS), textOf(5)];
    return random() < 0.6 ? text : `<${mark}>${text}</${mark.slice(0, 4).split(" ")[0] ?? ""}>`;
  };
  for (let count = 0; count < 500; count++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 4) }, part).join("");
    if (seen(text).words === "") continue; // no block is written
    const content = pick(BLOCKS)(text);
    expect(seen(READER.render(markdownOf(content))), content).toEqual(seen(page(content)));
  }
});
