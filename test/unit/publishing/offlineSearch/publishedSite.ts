import { PagesWithAdditions } from "../../../../provider/publishing/additions/pagesWithAdditions.ts";
import type { SearchOptions } from "../../../../provider/publishing/offlineSearch/options.ts";
import { SiteSearch } from "../../../../provider/publishing/offlineSearch/siteSearch.ts";
import { type Result, search } from "../../../../provider/publishing/search/browser/query.ts";

/** A site's files by their path, as a destination receives them with a search. */
export interface PublishedSite {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly pages: number;
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length; from += 1_000) yield bytes.subarray(from, from + 1_000);
  await Promise.resolve();
}

/** Passes files through a search, in the order that they are given in. */
export async function publishedSite(
  site: Readonly<Record<string, string | Buffer>>,
  options: SearchOptions = {},
): Promise<PublishedSite> {
  const files = new Map<string, Buffer>();
  const sink = {
    file: async (
      { path, size }: { path: string; size: number },
      content: AsyncIterable<Uint8Array>,
    ): Promise<void> => {
      const received: Uint8Array[] = [];
      for await (const piece of content) received.push(piece);
      const bytes = Buffer.concat(received);
      if (bytes.length !== size || files.has(path)) {
        throw new Error(`${path} has ${bytes.length} bytes, not ${size}`);
      }
      files.set(path, bytes);
    },
  };
  const given = new Map(Object.entries(site).map(([path, text]) => [path, Buffer.from(text)]));
  const { signal } = new AbortController();
  const search = new SiteSearch(sink, options, (path) => given.has(path), signal);
  const added = new PagesWithAdditions(sink, { search }, signal);
  for (const [path, bytes] of given) await added.file({ path, size: bytes.length }, pieces(bytes));
  const { searchPages = 0 } = await added.finish();
  return { files, pages: searchPages };
}

/** What a page has after its own bytes. */
export function addedTo(site: PublishedSite, path: string, before: string | Buffer): string {
  const after = site.files.get(path)?.toString("latin1") ?? "";
  const own = Buffer.from(before).toString("latin1");
  if (!after.startsWith(own)) throw new Error(`${path} is changed`);
  return after.slice(own.length);
}

/** The keys of the languages' directories. */
export function languagesOf({ files }: PublishedSite): Map<string, string> {
  const [, settings = ""] =
    /Settings=(.*);\n/.exec(files.get("docs-hosting-search/load.js")?.toString() ?? "") ?? [];
  return new Map((JSON.parse(settings) as { languages: [string, string][] }).languages);
}

/** Searches a published site as the search box does, but for the loading of its files. */
export async function find(
  site: PublishedSite,
  query: string,
  language = "",
  onLoad: (key: string) => void = () => undefined,
): Promise<Result[]> {
  const key = languagesOf(site).get(language);
  if (key === undefined) throw new Error(`the site has no language ${language}`);
  return search(query, key, (name) => {
    onLoad(name);
    const text = site.files.get(`docs-hosting-search/${name}.js`)?.toString() ?? "";
    const [, json = ""] = /^\ufeff\(self\.docsHostingSearch\?\?=\[\]\)\.push\((.*)\)\n$/s.exec(text) ?? [];
    return Promise.resolve((JSON.parse(json) as [string, unknown])[1]);
  });
}
