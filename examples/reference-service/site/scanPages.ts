import { setImmediate as nextTurn } from "node:timers/promises";
import type { PagePlace } from "./addresses.ts";
import { generatedStartPage } from "./generatedPages.ts";
import { readMarkdownPage } from "./markdownPage.ts";
import { type Page, pageTitle } from "./page.ts";
import type { SourceFolder } from "./sourceFolder.ts";

/**
 * The first pass: reads what all pages must provide before any of them can be written.
 *
 * @param places of all pages of the folder
 * @param chosen the exported pages, by their path in the source; the start page gives the site its name even when it is not
 *   exported
 * @param fallbackName the site's name when the start page has no heading
 */
export async function scanPages(
  folder: SourceFolder,
  places: ReadonlyMap<string, PagePlace>,
  chosen: ReadonlySet<string>,
  fallbackName: string,
  signal?: AbortSignal,
): Promise<{ pages: ReadonlyMap<string, Page>; siteName: string }> {
  const scanned = [];
  for (const [source, place] of places) {
    if (!chosen.has(source) && place.address !== generatedStartPage.address) continue;
    signal?.throwIfAborted();
    const { title, anchors, order } = await readMarkdownPage(folder.root, source);
    scanned.push({ source, ...place, title, anchors, order });
    await nextTurn();
  }
  const startPage = scanned.find(({ address }) => address === generatedStartPage.address);
  const siteName = startPage?.title ?? fallbackName;
  const pages = new Map<string, Page>();
  for (const page of scanned) {
    if (!chosen.has(page.source)) continue;
    pages.set(page.source, {
      ...page,
      title: pageTitle(page.source, page.isFolderPage, page.title, siteName),
    });
  }
  return { pages, siteName };
}
