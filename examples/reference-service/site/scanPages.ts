import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Addresses, assignPageAddresses } from "./addresses.ts";
import { generatedStartPage } from "./generatedPages.ts";
import { parseMarkdownPage } from "./markdownPage.ts";
import { type Page, pageTitle } from "./page.ts";
import type { SourceFolder } from "./sourceFolder.ts";

/**
 * The first pass: what must be known of all pages before any of them can be written.
 *
 * @param fallbackName - the site's name when the start page has no heading to take it from
 */
export async function scanPages(
  folder: SourceFolder,
  addresses: Addresses,
  fallbackName: string,
  signal?: AbortSignal,
): Promise<{ pages: ReadonlyMap<string, Page>; siteName: string }> {
  const places = assignPageAddresses(folder.pages, addresses);
  const scanned = [];
  for (const source of folder.pages) {
    signal?.throwIfAborted();
    const { title, anchors } = parseMarkdownPage(await readFile(join(folder.root, source), "utf8"));
    const place = places.get(source);
    if (place) scanned.push({ source, ...place, title, anchors });
    await nextTurn();
  }
  const startPage = scanned.find(({ address }) => address === generatedStartPage.address);
  const siteName = startPage?.title ?? fallbackName;
  const pages = scanned.map((page): [string, Page] => [
    page.source,
    { ...page, title: pageTitle(page.source, page.isFolderPage, page.title, siteName) },
  ]);
  return { pages: new Map(pages), siteName };
}
