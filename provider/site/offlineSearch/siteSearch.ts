import { createHash } from "node:crypto";
import type { SiteFile, SiteSink } from "../archive/site";
import { isPage, mediaTypeOf } from "../inspection/mediaTypes";
import { MAX_BYTES } from "../inspection/textLoads";
import { Yielder, WORK_PER_ENTRY } from "../archive/yielder";
import { BundleRefusedError } from "../../runtime/messages/errors";
import { boxFiles } from "./boxFiles";
import { isExcluded, type SearchOptions } from "./options";
import { PageReader, type PageText } from "./pageText";
import { SiteAddresses } from "./siteAddresses";
import { withoutSiteName } from "./siteTitles";
import { compareTexts, TextIndex } from "../search/textIndex";

/** Version of the index and of the search box. Increase it with every change of their content. */
export const SEARCH_VERSION = "4";

/** The folder of the index and the search box, below the site's root. */
export const SEARCH_FOLDER = "docs-hosting-search";

/** Number of characters of a page that are read at once. */
const SLICE = 64 * 1_024;

/**
 * Adds a search to the files of a site on their way to a destination: an index of all pages, a search box, and a script element at
 * the end of each page. The same files give the same bytes, in any order and on any machine.
 */
export class SiteSearch implements SiteSink {
  readonly #sink: SiteSink;
  readonly #options: SearchOptions;
  readonly #addresses: SiteAddresses;
  readonly #yielder: Yielder;
  readonly #pages: { readonly path: string; readonly text: PageText }[] = [];

  /**
   * @param sink receives all files
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

  async file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { path, size } = file;
    if (path === SEARCH_FOLDER || path.startsWith(`${SEARCH_FOLDER}/`)) {
      throw new BundleRefusedError(
        `the site has a file ${path}, where the search is put`,
        "Take the folder out of the site's sources, or switch `offlineSearch` off.",
      );
    }
    if (!isPage(path) || size > MAX_BYTES) return this.#sink.file(file, content);
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const tag = await this.#read(path, bytes);
    await this.#sink.file(
      { path, size: size + tag.length },
      [bytes, tag].values() as unknown as AsyncIterable<Uint8Array>,
    );
  }

  /** The pages that the search has read, in no order. */
  get pages(): readonly { readonly path: string; readonly text: PageText }[] {
    return this.#pages;
  }

  /** Writes index and search box. The sink then accepts no more pages. @returns number of pages that can be found */
  async finish(): Promise<number> {
    const indexes = await this.#indexes();
    const languages: [language: string, id: string][] = [];
    const write = (name: string, text: string): Promise<void> => {
      const bytes = Buffer.from(text);
      const content = [bytes].values() as unknown as AsyncIterable<Uint8Array>;
      return this.#sink.file({ path: `${SEARCH_FOLDER}/${name}`, size: bytes.length }, content);
    };
    for (const [language, index] of [...indexes].sort(([one], [other]) => compareTexts(one, other))) {
      const { list, parts } = index.files(language, (path) => this.#addresses.addressOf(path));
      languages.push([language, list.key]);
      for (const file of [list, ...parts]) {
        await this.#yielder.take(file.text.length);
        await write(file.name, file.text);
      }
    }
    for (const { name, text } of boxFiles(this.#options, languages)) await write(name, text);
    return [...indexes.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Reads a page. @returns what is added at its end */
  async #read(path: string, bytes: Buffer): Promise<Buffer> {
    const encoding = encodingOf(bytes);
    const text = new TextDecoder(encoding).decode(bytes);
    const reader = new PageReader();
    await this.#yielder.take(WORK_PER_ENTRY);
    for (let from = 0; from < text.length; from += SLICE) {
      reader.write(text.slice(from, from + SLICE));
      await this.#yielder.take(SLICE);
    }
    const page = reader.end();
    this.#addresses.learn(path, page.links);
    const isMissing = /^404\.html?$/.test(path);
    if (!page.isHidden && !isMissing && !isExcluded(path, this.#options.exclude))
      this.#pages.push({ path, text: page });
    const isXml = mediaTypeOf(path)?.inspectedAs === "xml";
    if (!page.canAppend || isMissing || isXml || /^(?:utf-16|iso-2022)/.test(encoding))
      return Buffer.alloc(0);
    const root = this.#addresses.rootOf(page.rootedLoads) ?? "../".repeat(path.split("/").length - 1);
    const address = `${encodeURI(root)}${SEARCH_FOLDER}/load.js`.replaceAll("&", "&amp;");
    return Buffer.from(`\n<script defer src="${address}"></script>\n`);
  }

  /** An index for each language. Pages without a language belong to the language of most pages. */
  async #indexes(): Promise<Map<string, TextIndex>> {
    const pages = this.#pages.sort((one, other) => byLength(one.path, other.path));
    const counts = new Map<string, number>();
    for (const { text } of pages) counts.set(text.language, (counts.get(text.language) ?? 0) + 1);
    const [[main] = [""]] = [...counts]
      .filter(([language]) => language !== "")
      .sort((a, b) => b[1] - a[1] || compareTexts(a[0], b[0]));
    const titleOf = titlesOf(pages.map(({ text }) => text));
    const indexes = new Map<string, TextIndex>();
    const seen = new Set<string>();
    for (const { path, text } of pages) {
      const language = text.language === "" ? main : text.language;
      const content = createHash("sha256")
        .update(JSON.stringify([language, text.title, text.sections]))
        .digest("base64");
      if (seen.has(content)) continue;
      seen.add(content);
      const index = indexes.get(language) ?? new TextIndex();
      indexes.set(language, index);
      index.add(path, titleOf(text), text.sections);
      await this.#yielder.take(2 * text.sections.reduce((sum, section) => sum + section.text.length, 0));
    }
    return indexes;
  }
}

/** The title of a page in results: its own, unless several pages have it. */
function titlesOf(pages: readonly PageText[]): (page: PageText) => string {
  const short = withoutSiteName(pages.map(({ title }) => title));
  const counts = new Map<string, number>();
  for (const { title } of pages) counts.set(short(title), (counts.get(short(title)) ?? 0) + 1);
  return ({ title, sections }) => {
    const own = short(title);
    const heading = sections.find((section) => section.heading !== "")?.heading ?? own;
    return own === "" || (counts.get(own) ?? 0) > 1 ? heading : own;
  };
}

/** Shorter paths first: of several equal pages, the one with the shortest path is found. */
function byLength(one: string, other: string): number {
  return one.length - other.length || compareTexts(one, other);
}

/** The encoding of a page, from its byte order mark or its declaration. */
function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const [, stated = ""] =
    /<meta[^>]*?charset\s*=\s*["']?\s*([\w-]+)/i.exec(bytes.toString("latin1", 0, 1_024)) ?? [];
  try {
    return stated === "" ? "utf-8" : new TextDecoder(stated).encoding.replace(/^utf-16.*/, "utf-8");
  } catch {
    return "utf-8";
  }
}
