// The search and the Markdown of a page agree on what is no content, where the table has one rule for both.
import { expect, test } from "vitest";
import { readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";

/** Whether each of the two has the word. */
function readersOf(html: string, word: string): { search: boolean; markdown: boolean } {
  const { markdown, page } = readMarkdown(Buffer.from(html));
  const { sections } = page;
  return { search: Buffer.from(sections).toString().includes(word), markdown: markdown.includes(word) };
}

test.each([
  ["an element that is never content", "<nav>marmalade</nav>"],
  ["a header outside of the main part", "<header>marmalade</header><main>b</main>"],
  ["a role of what is around the content", '<div role="banner">marmalade</div><main>b</main>'],
  ["a class of generators", '<main><ol class="breadcrumbs">marmalade</ol></main>'],
  ["a class that ends with such a word", '<main><ol class="tsd-breadcrumb">marmalade</ol></main>'],
  ["links to the pages before and after", '<div class="related">marmalade</div>'],
  ["a column of menus beside the content", '<div class="sidebar-nav">marmalade</div><p>b</p>'],
])("%s is left out by both", (_, html) => {
  expect(readersOf(html, "marmalade")).toEqual({ search: false, markdown: false });
});

test.each([
  ["the main part, whatever its classes", '<main class="toc related"><p>marmalade</p></main>'],
  ["a main part by its role", '<div role="main" class="related"><p>marmalade</p></div>'],
  ["the header of a section", "<section><header>marmalade</header></section>"],
  ["a table of related things", '<table class="related"><tr><td>marmalade</td></tr></table>'],
  ["a note beside the content", '<aside class="admonition">marmalade</aside>'],
  ["a class that only contains such a word", '<p class="tocsin">marmalade</p>'],
  [
    "a column with such a class in the main part",
    '<main><div class="sidebar-nav"><p>marmalade</p></div></main>',
  ],
])("%s is content for both", (_, html) => {
  expect(readersOf(html, "marmalade")).toEqual({ search: true, markdown: true });
});
