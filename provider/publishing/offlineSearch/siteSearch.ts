import { BundleRefusedError } from "../../base/runtime/messages/errors";
import { compareTexts } from "../../base/runtime/values/textOrder";
import { asContent, type SiteSink } from "../archives/siteSink";
import { WORK_PER_ENTRY, Yielder } from "../archives/yielder";
import { mediaTypeOf } from "../inspection/mediaTypes";
import type { IndexFile } from "../search/dataFile";
import type { Section } from "../search/sections";
import { TextIndex } from "../search/textIndex";
import { isExcluded } from "../sitePages/pathPatterns";
import type { ReadPage } from "../sitePages/readPage";
import { leadsAway } from "../sitePages/redirect";
import { SiteAddresses } from "../sitePages/siteAddresses";
import { titlesOf } from "../sitePages/siteTitles";
import { boxFiles, type LanguageIndex } from "./boxFiles";
import { indexLanguages, type LanguageOf, mostFrequent } from "./languages";
import type { SearchOptions } from "./options";

/** The folder of the index and the search box, below the site's root. */
const SEARCH_FOLDER = "docs-hosting-search";

/** Work for one file of the index, beside its characters: its words are scored and sorted. */
const WORK_PER_FILE = 32 * 1_024;

/** A page as the search keeps it until all pages are read. */
interface KeptPage extends Pick<ReadPage, "language" | "title" | "heading" | "digest" | "rendered"> {
  readonly path: string;
  sections: Uint8Array;
}

/**
 * The search of a site: an index of all pages, a search box, and a script element at the end of each page. The same files give the same
 * bytes, in any order and on any machine.
 */
export class SiteSearch {
  readonly #sink: SiteSink;
  readonly #options: SearchOptions;
  readonly #addresses: SiteAddresses;
  readonly #yielder: Yielder;
  readonly #pages: KeptPage[] = [];
  readonly #noindex: string[] = [];

  /**
   * @param sink receives the files that are added
   * @param hasFile whether the site has a file
   */
  constructor(
    sink: SiteSink,
    options: SearchOptions,
    hasFile: (path: string) => boolean,
    signal: AbortSignal,
  ) {
    this.#sink = sink;
    this.#options = options;
    this.#addresses = new SiteAddresses(hasFile);
    this.#yielder = new Yielder(signal);
  }

  /** The pages that the search has read, in no order. */
  get pages(): readonly Pick<KeptPage, "path" | "rendered">[] {
    return this.#pages;
  }

  /** The paths of the pages that are left out because they ask for it, in no order. */
  get noindexPages(): readonly string[] {
    return this.#noindex;
  }

  /** Writes index and search box. The sink then accepts no more pages. @returns number of pages that can be found */
  async finish(): Promise<number> {
    const { indexes, languageOf } = await this.#indexes();
    const languages: LanguageIndex[] = [];
    const write = async ({ name, text }: IndexFile): Promise<void> => {
      await this.#yielder.take(text.length + WORK_PER_FILE);
      const bytes = Buffer.from(text);
      return this.#sink.file({ path: `${SEARCH_FOLDER}/${name}`, size: bytes.length }, asContent(bytes));
    };
    for (const [language, index] of [...indexes].sort(([one], [other]) => compareTexts(one, other))) {
      let last = "";
      for (const file of index.files(language, (path) => this.#addresses.addressOf(path))) {
        await write(file);
        last = file.key;
      }
      const pages = this.#pages.filter((page) => languageOf(page) === language);
      const variant = mostFrequent(pages, (page) => page.language);
      languages.push({ language, variant, key: last, pages: index.size });
    }
    for (const file of boxFiles(this.#options, languages)) await write(file);
    return [...indexes.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Takes a page that was read into the index. @returns what is added at its end */
  take(path: string, page: ReadPage): Buffer {
    this.#addresses.learn(path, page.links);
    const isMissing = /^404\.html?$/.test(path);
    const { redirect } = page;
    const isRedirect = redirect && leadsAway(redirect, (link) => this.#addresses.isOwn(path, link));
    if (!isRedirect && !isMissing && !isExcluded(path, this.#options.exclude)) {
      if (page.isNoindex && this.#options.includeNoindex !== true) this.#noindex.push(path);
      else this.#pages.push(indexedPage(path, page));
    }
    const isXml = mediaTypeOf(path)?.inspectedAs === "xml";
    if (!page.canAppend || isMissing || isXml || /^(?:utf-16|iso-2022)/.test(page.encoding)) {
      return Buffer.alloc(0);
    }
    const root = this.#addresses.rootOf(page.rootedLoads) ?? "../".repeat(path.split("/").length - 1);
    const address = `${encodeURI(root)}${SEARCH_FOLDER}/load.js`.replaceAll("&", "&amp;");
    return Buffer.from(`\n<script defer${nonceAttribute(page.nonce)} src="${address}"></script>\n`);
  }

  /** An index for each language. */
  async #indexes(): Promise<{
    indexes: Map<string, TextIndex>;
    languageOf: LanguageOf;
  }> {
    // shorter paths first: of several equal pages, the one with the shortest path is found
    const pages = this.#pages.sort(
      (one, other) => one.path.length - other.path.length || compareTexts(one.path, other.path),
    );
    const languageOf = indexLanguages(pages);
    const titleOf = titlesOf(pages);
    const seen = new Set<string>();
    const found = pages.filter((page) => {
      const content = JSON.stringify([languageOf(page), page.title, page.digest]);
      const isNew = !seen.has(content);
      seen.add(content);
      if (!isNew) page.sections = Buffer.alloc(0);
      return isNew;
    });
    const indexes = new Map<string, TextIndex>();
    // in the order of the index, which then needs to sort nothing
    for (const page of found.sort((one, other) => compareTexts(one.path, other.path))) {
      const language = languageOf(page);
      const sections = JSON.parse(Buffer.from(page.sections.buffer).toString()) as Section[];
      page.sections = Buffer.alloc(0); // the index has its own
      const index = indexes.get(language) ?? new TextIndex();
      indexes.set(language, index);
      index.add(page.path, titleOf(page), sections);
      await this.#yielder.take(2 * sections.reduce((sum, { text }) => sum + text.length, WORK_PER_ENTRY));
    }
    return { indexes, languageOf };
  }
}

function indexedPage(path: string, page: ReadPage): KeptPage {
  const { language, title, heading, digest, rendered, sections } = page;
  return { path, language, title, heading, digest, rendered, sections };
}

/** Refuses a site with a file where the search is put. */
export function refuseSearchFolder(path: string): void {
  if (path !== SEARCH_FOLDER && !path.startsWith(`${SEARCH_FOLDER}/`)) return;
  throw new BundleRefusedError(
    `the site has a file ${path}, where the search is put`,
    "Take the folder out of the site's sources, or switch `offlineSearch` off.",
  );
}

/** The page's own nonce, which its content security policy asks for. Others than of visible ASCII characters are none. */
function nonceAttribute(nonce: string): string {
  if (!/^[!-~]+$/.test(nonce)) return "";
  return ` nonce="${nonce.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;
}
