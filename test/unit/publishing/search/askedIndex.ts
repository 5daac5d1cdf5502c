import { type Result, search } from "../../../../provider/publishing/search/browser/query.ts";
import type { Section } from "../../../../provider/publishing/search/sections.ts";
import { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";
import { indexFiles } from "./indexFiles.ts";

/** Texts by the path of their page; a section may have a heading and an anchor. */
export type Texts = Readonly<Record<string, string | readonly Section[]>>;

export interface Asked {
  readonly results: readonly Result[];
  readonly paths: readonly string[];
  /** The keys of the files that were loaded for it. */
  readonly loaded: readonly string[];
}

export const titled = (path: string): string => path.replace(/\.html$/, "");

export async function ask(texts: Texts, query: string, titleOf = titled): Promise<Asked> {
  const index = new TextIndex();
  for (const [path, text] of Object.entries(texts)) {
    const sections = typeof text === "string" ? [{ anchor: "", heading: "", text }] : text;
    index.add(path, titleOf(path), sections);
  }
  const { list, parts } = indexFiles(index, "en", (path) => `at/${path}`);
  const loaded: string[] = [];
  const load = (key: string): Promise<unknown> => {
    loaded.push(key);
    const { text = "" } = [list, ...parts].find((file) => file.key === key) ?? {};
    return Promise.resolve((JSON.parse(/\.push\((.*)\)\n$/s.exec(text)?.[1] ?? "") as unknown[])[1]);
  };
  const results = await search(query, list.key, load);
  return { results, paths: results.map(({ path }) => titled(path)), loaded };
}
