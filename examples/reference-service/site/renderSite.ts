import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Addresses, assignPageAddresses } from "./addresses.ts";
import { exportedContent, mayBeExported } from "./copiedFiles.ts";
import { generatedNotFoundPage, generatedStartPage } from "./generatedPages.ts";
import { CodeHighlighter } from "./highlight.ts";
import { serialize } from "./htmlTree.ts";
import type { LinkTargets } from "./links.ts";
import { readMarkdownPage } from "./markdownPage.ts";
import { Markup } from "./markup.ts";
import { Navigation } from "./navigation.ts";
import type { Page } from "./page.ts";
import { choosePages, findPage } from "./pagePaths.ts";
import { type PageContent, renderDocument, type SiteFrame } from "./pageTemplate.ts";
import { demoteRepeatedName, rewritePage } from "./rewritePage.ts";
import { TAKEN_OUT } from "./sanitize.ts";
import { scanPages } from "./scanPages.ts";
import { SiteWriter } from "./siteWriter.ts";
import { readSourceFolder } from "./sourceFolder.ts";
import type { Warn } from "./warn.ts";

export interface RenderOptions {
  /** Folder of Markdown. */
  source: string;
  /** Empty folder that receives the site. */
  target: string;
  /** Name of the site where the start page has no heading. */
  name: string;
  /**
   * BCP 47 tag of the language of the pages.
   * @default "en"
   */
  language?: string;
  /**
   * Pages to export, as links from the root name them (`guides/one`, `/guides/one.md`, `guides/`).
   * @default all pages
   */
  paths?: readonly string[] | undefined;
  /**
   * Milliseconds for highlighting one code block; a slower one stays plain.
   * @default 5_000
   */
  codeTimeLimitMs?: number | undefined;
  /** Called after each page. */
  onProgress?: (renderedPages: number, totalPages: number) => void;
  /** Stops between two pages. */
  signal?: AbortSignal;
}

export interface RenderedSite {
  /** Number of HTML pages, without the one for wrong addresses. */
  pageCount: number;
  /** Every file of the site, sorted, relative to its folder. */
  files: readonly string[];
  /** Broken links and the like, each with the page in the source: `Guides/Index.md: ./Gone.md: no such file in the source`. */
  warnings: readonly string[];
}

/** What the second pass needs for each page. */
interface Rendering {
  readonly root: string;
  readonly siteName: string;
  readonly targets: LinkTargets;
  readonly highlighter: CodeHighlighter;
}

const DEFAULT_CODE_TIME_LIMIT_MS = 5_000;

/**
 * Renders a folder of Markdown into a site that needs a static file server, or not even that.
 *
 * Two passes, page by page: the first reads titles and anchors, which navigation and links need; the second writes. Only one page
 * is in memory at a time, and other work of the process runs between pages.
 */
export async function renderSite(options: RenderOptions): Promise<RenderedSite> {
  const { source, target, signal, onProgress } = options;
  const warnings = new Set<string>(); // a link written ten times on a page is one mistake
  const folder = await readSourceFolder(source);
  if (folder.pages.length === 0) throw new Error("there is no Markdown file in the source folder");

  const addresses = new Addresses();
  const writer = new SiteWriter(target);
  const places = assignPageAddresses(folder.pages, addresses);
  const chosen = options.paths ? choosePages(options.paths, places) : new Set(folder.pages);
  const { pages, siteName } = await scanPages(folder, places, chosen, options.name, signal);
  const generated = [generatedStartPage, generatedNotFoundPage].filter(
    ({ address }) => ![...pages.values()].some((page) => page.address === address),
  );
  for (const { address } of generated) addresses.claim(address);
  const frame: SiteFrame = {
    name: siteName,
    language: options.language ?? "en",
    navigation: new Navigation(pages.values()),
    startPage: generatedStartPage.address,
    icon: await writeThemeFile("icon", "svg", writer, addresses),
    stylesheet: await writeThemeFile("site", "css", writer, addresses),
    script: await writeThemeFile("site", "js", writer, addresses),
  };
  const assets = new Map<string, string>();
  const targets: LinkTargets = {
    pages,
    asset(path) {
      if (!folder.otherFiles.has(path) || !mayBeExported(path)) return undefined;
      const address = assets.get(path) ?? addresses.claim(path);
      assets.set(path, address);
      return address;
    },
    leftOut(path) {
      if (folder.otherFiles.has(path)) return "files of this type are not exported, they could run scripts";
      return findPage(path, places) === undefined ? undefined : "not among the pages of this export";
    },
  };
  const highlighter = new CodeHighlighter(options.codeTimeLimitMs ?? DEFAULT_CODE_TIME_LIMIT_MS);
  const rendering: Rendering = { root: source, siteName, targets, highlighter };
  const warnOf =
    (path: string): Warn =>
    (subject, problem) =>
      warnings.add(`${path}: ${subject}: ${problem}`);

  const totalPages = [...pages.values(), ...generated].filter(isPage).length;
  let rendered = 0;
  const report = (page: { readonly address: string }): void => {
    if (isPage(page)) onProgress?.(++rendered, totalPages);
  };
  for (const page of pages.values()) {
    signal?.throwIfAborted();
    const content = await renderPage(page, rendering, warnOf(page.source));
    await writer.write(page.address, renderDocument(content, frame));
    report(page);
    await nextTurn();
  }
  for (const page of generated) {
    await writer.write(page.address, renderDocument(page.render(frame), frame));
    report(page);
  }
  for (const [path, address] of assets) {
    signal?.throwIfAborted();
    const content = await readFile(join(source, path));
    await writer.write(address, exportedContent(path, content, warnOf(path)));
  }
  return { pageCount: totalPages, files: writer.files, warnings: [...warnings] };
}

/** Whether a page counts: the page for wrong addresses does not. */
function isPage({ address }: { readonly address: string }): boolean {
  return address !== generatedNotFoundPage.address;
}

/** The second pass, for one page. */
async function renderPage(
  page: Page,
  { root, siteName, targets, highlighter }: Rendering,
  warn: Warn,
): Promise<PageContent> {
  const parsed = await readMarkdownPage(root, page.source);
  for (const name of parsed.removedElements) warn(`<${name}>`, TAKEN_OUT);
  if (page.title !== siteName) demoteRepeatedName(parsed.tree, siteName);
  rewritePage(parsed.tree, page, targets, warn);
  await highlighter.highlight(parsed.tree, (language) =>
    warn(`code in ${language}`, "stays plain, colouring it takes too long"),
  );
  const { address, title } = page;
  const { description, headings } = parsed;
  return { address, title, description, headings, page, body: new Markup(serialize(parsed.tree)) };
}

/** The name contains a hash of the content, so that browsers may cache the file without end. */
async function writeThemeFile(name: string, extension: string, writer: SiteWriter, addresses: Addresses) {
  const content = await readFile(new URL(`theme/${name}.${extension}`, import.meta.url));
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
  const address = addresses.claim(`assets/${name}.${hash}.${extension}`);
  await writer.write(address, content);
  return address;
}
