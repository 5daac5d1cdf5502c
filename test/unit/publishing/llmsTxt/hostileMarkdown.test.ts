// Pages that are built to delay the writing of Markdown: their time is bounded by their size.
import { describe, expect, test } from "vitest";
import { processorMs } from "../../../simulation/processorTime.ts";
import { markdownOf, MATHJAX } from "./markdownOf.ts";

describe("pages that nobody should write", () => {
  test.each<[string, string, RegExp]>([
    ["25,000 levels", "<div>".repeat(25_000) + "deep", /^deep$/],
    ["25,000 quotations", "<blockquote>".repeat(25_000) + "deep", /deep$/],
    ["25,000 tables", "<table><tr><td>1<td>2</table>".repeat(25_000), /\| 1 \| 2 \|/],
    ["25,000 tables in each other", "<table><tr><td>".repeat(25_000) + "deep", /deep/],
    ["25,000 tables in each other with headings", "<table><tr><th>a<td>".repeat(25_000) + "deep", /deep/],
    ["50,000 open marks", "<b><i>".repeat(25_000) + "deep", /deep/],
    ["a line of 1 MB", `<p>${"word ".repeat(200_000)}</p>`, /word$/],
    ["1 MB of spaces", `<p>a${" ".repeat(1_000_000)}b</p>`, /^a b$/],
    ["25,000 line breaks", `<p>a${"<br>".repeat(25_000)}b</p>`, /^a\\\nb$/],
    [
      "a cell that reaches over a million columns",
      '<table><tr><td colspan="1000000">a<td>b</table>',
      /^a b$/,
    ],
    ["25,000 lists of tabs", '<ul role="tablist"><li role="tab">a</ul>'.repeat(25_000), /a/],
    ["25,000 footnotes", `${'<a href="#n" class="footnote-ref">1</a>'.repeat(25_000)}<li id=n>x`, /x/],
    ["25,000 beginnings of mathematics", `${MATHJAX}<p>${"\\\\( $$$ ".repeat(25_000)}b`, /b$/],
    ["25,000 links in code", `<code>${'<a href="x">a</a> '.repeat(25_000)}</code>`, /a`\]\(x\)$/],
    ["code in code in 25,000 levels", `${"<code><span>".repeat(25_000)}<a href="x">b</a>`, /b/],
    ["25,000 spans of code side by side", "<code>a</code>".repeat(25_000), /^`a+`$/],
    ["25,000 levels of mathematics", `${"<math><msup><mrow>".repeat(25_000)}b`, /b/],
    ["an end in a comment", "<p>a</p><!-- ", /^a$/],
  ])("%s are read in a bounded time", (_, html, text) => {
    const started = processorMs();
    expect(markdownOf(html)).toMatch(text);
    expect(processorMs() - started).toBeLessThan(1_500);
  });
});
