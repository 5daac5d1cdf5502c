// How much of what a reader sees in a page is in Markdown, and how much else: both as a browser shows them.
import MarkdownIt, { type Token } from "markdown-it";
import footnote from "markdown-it-footnote";
import type { Page } from "playwright-core";

/** Of the words that a reader sees in the content, and of those of the Markdown. */
export const LEAST_KEPT = 0.995;
export const MOST_OTHER = 0.01;
/** Pages of a site that a browser opens. */
export const MOST_PAGES = 30;

export interface ReadText {
  readonly words: readonly string[];
  readonly code: number;
  readonly tables: number;
}

/** What a browser shows of the content of a page. */
export interface PageText extends ReadText {
  /** All words that the content may have: of texts together, too. */
  readonly all: readonly string[];
}

/** A program for the browser: what it shows of a page's content, without what helps to move on the page and what stands beside code. */
const CONTENT = `(wanted) => {
  const found = [...document.querySelectorAll(wanted)].filter((each) => !each.parentElement.closest(wanted));
  if (found.length === 0) return undefined;
  const beside =
    "script, style, noscript, template, nav, button:not([role=tab]):not([aria-expanded]), select, textarea, [role=navigation], [role=search], [aria-hidden=true], .linenos, .lineno, pre.lines, " +
    ".line-numbers-wrapper, mjx-assistive-mml, .lnt, .table-of-contents, .sidebar > .toc, .theme-doc-toc-mobile, [class*=language-] > .lang, .headerlink, .hash-link, .header-anchor, .gp, .sr-only, .visually-hidden, footer, #footer";
  for (const main of found) for (const each of main.querySelectorAll(beside)) each.remove();
  // of each text and of texts together: elements may stand within a word, or without a space between them
  const texts = (node) => (node.nodeType === 3 ? node.data : [...node.childNodes].map(texts).join(" "));
  // styles write headings in capitals
  const wordsOf = (text) => text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [];
  const isOfCode = (table) => table.querySelector("pre") !== null && table.querySelector("th:not(.filename)") === null;
  // code in a cell is text in a line of the Markdown
  const isInLine = (code) => code.closest("table") !== null && !isOfCode(code.closest("table"));
  // a note of Asciidoctor is a table beside its icon, and a quotation in Markdown
  // a table that only places what is in it is none in Markdown either
  const isPlacing = (table) =>
    !table.querySelector("th") && (table.querySelectorAll("td").length < 2 || table.querySelector("table, h2, h3, h4") !== null || table.matches(".memname, .mlabels"));
  const isTable = (table) => !isOfCode(table) && !isPlacing(table) && table.getAttribute("role") !== "presentation" && !table.closest(".admonitionblock");
  const all = (selector) => found.flatMap((main) => [...main.querySelectorAll(selector)]);
  return {
    words: found.flatMap((main) => wordsOf(main.innerText)),
    all: [...found.flatMap((main) => [...wordsOf(main.textContent), ...wordsOf(texts(main))]), ...wordsOf(document.title), ...all("i[title]").flatMap((icon) => wordsOf(icon.title))],
    code: all("pre").filter((each) => each.textContent.trim() !== "" && !each.parentElement.closest("pre") && !isInLine(each)).length,
    tables: all("table").filter(isTable).length,
  };
}`;

/** What a browser shows of the open page. @returns undefined without content */
export function contentOf(page: Page, selector: string): Promise<PageText | undefined> {
  return page.evaluate(`(${CONTENT})(${JSON.stringify(selector)})`);
}

/** The words of Markdown as a program renders it. */
export async function renderedText(page: Page, markdown: string): Promise<ReadText> {
  const renderer = new MarkdownIt({ html: true }).use(footnote);
  const { footnote_open: open } = renderer.renderer.rules;
  // a list shows the number of a note beside its text, not in it
  renderer.renderer.rules["footnote_open"] = (tokens, at, options, env, self) =>
    `${open?.(tokens, at, options, env, self) ?? ""}${numberOf(tokens[at])} `;
  const html = renderer.render(markdown.replace(/ \{#[^\s{}]+\}$/gm, ""));
  await page.setContent(`<!doctype html><body>${html}</body>`);
  return page.evaluate(`({
    words: document.body.innerText.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [],
    code: document.querySelectorAll("pre").length,
    tables: document.querySelectorAll("table").length,
  })`);
}

/** A page, or all pages of a site together. */
export interface Fidelity {
  /** The share of the words of the content that the Markdown has, and of its words that the content does not have. */
  readonly kept: number;
  readonly other: number;
  /** Numbers in the content, and in the Markdown. */
  readonly words: number;
  readonly code: readonly [number, number];
  readonly tables: readonly [number, number];
}

/** Compares the pages of a site with their Markdown. */
export class MarkdownMeasure {
  #words = 0;
  #kept = 0;
  #written = 0;
  #other = 0;
  readonly #code: [number, number] = [0, 0];
  readonly #tables: [number, number] = [0, 0];
  /** Pages that are below the measure, with some of their words. */
  readonly worst: string[] = [];

  add(name: string, read: PageText, own: ReadText): void {
    const kept = common(read.words, own.words);
    const other = own.words.length - common(own.words, read.all);
    this.#words += read.words.length;
    this.#kept += kept;
    this.#written += own.words.length;
    this.#other += other;
    this.#code[0] += read.code;
    this.#code[1] += own.code;
    this.#tables[0] += read.tables;
    this.#tables[1] += own.tables;
    const differs = read.code !== own.code || read.tables !== own.tables;
    if (kept < LEAST_KEPT * read.words.length || other > MOST_OTHER * own.words.length || differs) {
      const counts = differs ? ` code ${read.code}/${own.code}, tables ${read.tables}/${own.tables};` : "";
      const [lost, more] = [difference(read.words, own.words), difference(own.words, read.all)];
      this.worst.push(`${name}:${counts} lost ${lost}; other ${more}`);
    }
  }

  get result(): Fidelity {
    return {
      kept: this.#kept / this.#words,
      other: this.#other / this.#written,
      words: this.#words,
      code: this.#code,
      tables: this.#tables,
    };
  }
}

/** As a line of a table. */
export function shownFidelity({
  kept,
  other,
  words,
  code,
  tables,
}: Fidelity): Record<string, string | number> {
  const share = (part: number): string => `${(100 * part).toFixed(2)} %`;
  return {
    words,
    kept: share(kept),
    other: share(other),
    code: code.join("/"),
    tables: tables.join("/"),
  };
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How many of these words the others have, too. */
function common(words: readonly string[], others: readonly string[]): number {
  const counts = counted(others);
  return [...counted(words)].reduce((sum, [word, count]) => sum + Math.min(count, counts.get(word) ?? 0), 0);
}

function difference(words: readonly string[], others: readonly string[]): string {
  const counts = counted(others);
  return [...counted(words)]
    .filter(([word, count]) => count > (counts.get(word) ?? 0))
    .map(([word]) => word)
    .slice(0, 20)
    .join(" ");
}

/** The number of a note, from 1 on. */
function numberOf(note: Token | undefined): number {
  return (note?.meta as { id: number }).id + 1;
}
