import { dirname } from "node:path/posix";
import { compareTexts } from "../../base/runtime/values/textOrder";

/** A page with its language, such as `de` or `pt-br`; empty if it does not say. */
interface PageLanguage {
  readonly path: string;
  readonly language: string;
}

/** The language of a page's index. */
export type LanguageOf = (page: PageLanguage) => string;

/**
 * The language of each page's index. Variants that a site has beside each other, such as `pt-br` and `pt-pt`, have an index each. A
 * variant and the bare language are one if a folder has pages of both: then only some pages say which variant they are in.
 */
export function indexLanguages(pages: readonly PageLanguage[]): LanguageOf {
  const byTag = Map.groupBy(pages, ({ language }) => language);
  const tags = [...byTag.keys()].filter((tag) => tag !== "");
  const named = new Map<string, string>();
  for (const [primary, variants] of Map.groupBy(tags, primaryOf)) {
    const folders = foldersOf(byTag.get(primary) ?? []);
    const isMixed = (tag: string): boolean =>
      [...foldersOf(byTag.get(tag) ?? [])].some((folder) => folders.has(folder));
    const others = variants.filter((tag) => tag !== primary);
    const mixed = others.find(isMixed);
    const count = (mixed === undefined ? variants : others).length;
    for (const tag of variants) named.set(tag, count < 2 ? primary : tag === primary ? (mixed ?? tag) : tag);
  }
  const main = mostFrequent(pages, ({ language }) => primaryOf(language));
  const ofMain = pages.filter(({ language }) => primaryOf(language) === main);
  // pages without a language belong to that of most pages
  const unnamed = mostFrequent(ofMain, ({ language }) => named.get(language) ?? language);
  return ({ language }) => named.get(language) ?? unnamed;
}

/** The language without its variant. */
export function primaryOf(language: string): string {
  return language.split("-")[0] ?? "";
}

function foldersOf(pages: readonly PageLanguage[]): Set<string> {
  return new Set(pages.map(({ path }) => dirname(path)));
}

/** Of several equally frequent ones, the first in the order of texts; empty ones do not count. */
export function mostFrequent(
  pages: readonly PageLanguage[],
  languageOf: (page: PageLanguage) => string,
): string {
  const [[most] = [""]] = [...Map.groupBy(pages, languageOf)]
    .filter(([language]) => language !== "")
    .sort((one, other) => other[1].length - one[1].length || compareTexts(one[0], other[0]));
  return most;
}
