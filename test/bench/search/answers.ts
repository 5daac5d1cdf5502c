import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import type { search as searchIndex } from "../../../provider/publishing/search/browser/query.ts";

const QUESTIONS = join(import.meta.dirname, "questions");
const READER = join(import.meta.dirname, "../../../provider/publishing/search/browser/query.ts");
/** How many results a reader reads. */
const LOOKED_AT = 3;

/** A question as a reader types it, and parts of the paths of pages that answer it. */
export interface Question {
  readonly words: string;
  readonly answers: readonly string[];
}

/** The paths that a search finds, best first. */
export type Search = (words: string) => Promise<readonly string[]>;

/** Of 40 questions: how many have the right page first, and among the first three. */
export interface Found {
  readonly first: number;
  readonly amongThree: number;
  readonly missed: readonly string[];
}

export async function questionsOf(corpus: string): Promise<Question[]> {
  const text = await readFile(join(QUESTIONS, `${corpus}.tsv`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [words = "", answers = ""] = line.split("\t");
      return { words, answers: answers.split("|") };
    });
}

export async function ask(questions: readonly Question[], search: Search): Promise<Found> {
  let [first, amongThree] = [0, 0];
  const missed: string[] = [];
  for (const { words, answers } of questions) {
    const paths = (await search(words)).slice(0, LOOKED_AT);
    const rank = paths.findIndex((path) => answers.some((answer) => path.includes(answer)));
    if (rank === 0) first++;
    if (rank === -1) missed.push(`${words} → ${paths.join(", ")}`);
    else amongThree++;
  }
  return { first, amongThree, missed };
}

/** The search box's own search, over an index in a folder. */
export async function ownSearch(folder: string): Promise<Search> {
  const { outputFiles } = await build({ entryPoints: [READER], bundle: true, format: "esm", write: false });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  const { search } = (await import(`data:text/javascript;base64,${code}`)) as {
    search: typeof searchIndex;
  };
  const { languages } = await settingsOf(folder);
  const load = async (key: string): Promise<unknown> => {
    const text = await readFile(join(folder, `${key}.js`), "utf8");
    const [, json = ""] = /^\ufeff\(self\.docsHostingSearch\?\?=\[\]\)\.push\((.*)\)\n$/s.exec(text) ?? [];
    return (JSON.parse(json) as [string, unknown])[1];
  };
  return async (words) => {
    for (const [, key] of languages) {
      const results = await search(words, key, load);
      if (results.length > 0) return results.map(({ path }) => path);
    }
    return [];
  };
}

/** What `load.js` of a search is written with. */
export async function settingsOf(folder: string): Promise<{ languages: [string, string][]; style: string }> {
  const [, json = "{}"] = /Settings=(.*);\n/.exec(await readFile(join(folder, "load.js"), "utf8")) ?? [];
  return JSON.parse(json) as { languages: [string, string][]; style: string };
}

/** Pagefind's search, which runs in browsers only. @param url of a site that has it in the folder `pagefind` */
export async function pagefindSearch(browser: Browser, url: string): Promise<Search> {
  const page = await browser.newPage();
  await page.goto(`${url}/blank.html`);
  return (words) =>
    page.evaluate(`(async () => {
      const { search } = await import("/pagefind/pagefind.js");
      const { results } = await search(${JSON.stringify(words)});
      const shown = await Promise.all(results.slice(0, ${LOOKED_AT}).map((result) => result.data()));
      return shown.map(({ url }) => url);
    })()`);
}
