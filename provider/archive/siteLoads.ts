import { extname } from "node:path/posix";
import { styleLoads } from "./cssLoads";
import { HERE, NOT_LOOKED_AT } from "./elsewhere";
import { PageLoads } from "./htmlLoads";
import { type ExternalLoad, MAX_EXTERNAL_LOADS } from "./site";

/** Files that web servers serve as pages. One without an extension is served as data. */
const PAGES = new Set([".html", ".htm", ".xhtml", ".xht", ".shtml"]);

/** Of one page or style sheet: some megabytes are a book on one page; beyond this it is not read on. */
const MOST_BYTES = 16 * 1_024 * 1_024;

export function isPage(path: string): boolean {
  return PAGES.has(extname(path).toLowerCase());
}

/** Gathers what the pages and style sheets of a site load from elsewhere. */
export class SiteLoads {
  /** The first that were found, each once. */
  readonly external: ExternalLoad[] = [];

  /** Whether so much was found that more would not be told. */
  get isFull(): boolean {
    return this.external.length >= MAX_EXTERNAL_LOADS;
  }

  /**
   * Reads a file as far as it has to: not at all when it is neither page nor style sheet, or nothing more would be told.
   */
  async lookAt(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const isStyle = extname(path).toLowerCase() === ".css";
    if (this.isFull || (!isStyle && !isPage(path))) return;
    const add = (address: string): void => this.#add(path, address);
    if (size > MOST_BYTES) return add(NOT_LOOKED_AT);
    await (isStyle ? lookAtStyle(content, add) : lookAtPage(content, add));
  }

  #add(page: string, address: string): void {
    const isKnown = this.external.some((other) => other.page === page && other.address === address);
    if (!isKnown && !this.isFull) this.external.push({ page, address });
  }
}

async function lookAtStyle(
  content: AsyncIterable<Uint8Array>,
  add: (address: string) => void,
): Promise<void> {
  let css = "";
  for await (const text of texts(content)) css += text;
  styleLoads(css, HERE, add);
}

async function lookAtPage(content: AsyncIterable<Uint8Array>, add: (address: string) => void): Promise<void> {
  const page = new PageLoads(add);
  for await (const text of texts(content)) {
    page.write(text);
  }
  page.end();
}

/** UTF-8, or what a mark at its begin says. Other character sets write addresses in the same bytes. */
async function* texts(content: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const bytes of content) {
    decoder ??= new TextDecoder(encodingOf(bytes));
    yield decoder.decode(bytes, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
