import type { Reporter } from "../../base/runtime/messages/reporter";
import { asContent, type SiteFile, type SiteSink } from "../archives/siteSink";
import { isPage, mediaTypeOf } from "../inspection/mediaTypes";
import { MAX_BYTES } from "../inspection/textLoads";
import type { MarkdownPage } from "../llmsTxt/readMarkdown";
import type { AddedFile, SiteMarkdown } from "../llmsTxt/siteMarkdown";
import { refuseSearchFolder, type SiteSearch } from "../offlineSearch/siteSearch";
import { PageReaders } from "./pageReaders";
import { WriteQueue } from "./writeQueue";

/** Files other than pages up to this size wait for the pages before them, in bytes. */
const KEPT_FILE = 256 * 1_024;

/** What is added to the pages of a site. */
interface PageAdditions {
  readonly search?: SiteSearch | undefined;
  readonly markdown?: SiteMarkdown | undefined;
}

/**
 * Adds a search and Markdown to the pages of a site on their way to a destination: each page is read once for both, while those before it
 * are written. The files stay in their order.
 */
export class PagesWithAdditions implements SiteSink {
  readonly #sink: SiteSink;
  readonly #search: SiteSearch | undefined;
  readonly #markdown: SiteMarkdown | undefined;
  readonly #readers: PageReaders;
  readonly #queue = new WriteQueue();
  readonly #signal: AbortSignal;

  constructor(
    sink: SiteSink,
    { search, markdown }: PageAdditions,
    signal: AbortSignal,
    readers: PageReaders = new PageReaders(markdown !== undefined, signal),
  ) {
    this.#sink = sink;
    this.#search = search;
    this.#markdown = markdown;
    this.#readers = readers;
    this.#signal = signal;
  }

  async file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { path, size } = file;
    if (this.#search) refuseSearchFolder(path);
    const isRead = isPage(path) && size <= MAX_BYTES;
    if (!isRead && (this.#queue.isEmpty || size > KEPT_FILE)) {
      await this.#queue.flush();
      return this.#pass(file, content);
    }
    const bytes = Buffer.concat(await Array.fromAsync(content));
    if (!isRead) return this.#queue.add(size, () => this.#pass(file, asContent(bytes)));
    const reading = this.#readers.read(bytes);
    reading.catch(() => undefined); // the queue may have ended before
    await this.#queue.add(size, async () => {
      const read = await reading;
      this.#signal.throwIfAborted();
      const markdown = read.markdown === undefined ? undefined : read;
      const added = this.#markdown?.take(path, markdown);
      const parts = insertLink(path, bytes, markdown, added?.link);
      if (this.#search) parts.push(this.#search.take(path, read.page));
      const whole = parts.reduce((sum, { length }) => sum + length, 0);
      await this.#sink.file({ path, size: whole }, asContent(...parts));
      await this.#add(added?.files);
    });
  }

  /** Writes `llms.txt` and the search. @returns the number of listed pages, and of those that the search finds */
  async finish(
    reporter?: Pick<Reporter, "info" | "warn">,
  ): Promise<{ llmsPages: number | undefined; searchPages: number | undefined }> {
    await this.#queue.flush();
    await this.#readers.end(); // the index needs memory, too
    const llmsPages = this.#markdown && (await this.#finishMarkdown(this.#markdown, reporter));
    return { llmsPages, searchPages: await this.#search?.finish() };
  }

  /** Ends the threads, and waits for the file that is being written. */
  async end(): Promise<void> {
    await this.#readers.end();
    await this.#queue.stop();
  }

  async #finishMarkdown(markdown: SiteMarkdown, reporter?: Pick<Reporter, "info" | "warn">): Promise<number> {
    const { files, pages } = markdown.finish();
    await this.#add(files);
    const { info, warn } = markdown.notes;
    for (const line of info) reporter?.info(line);
    for (const line of warn) reporter?.warn(line);
    return pages;
  }

  /** Passes a file that is not read. */
  async #pass(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#sink.file(file, content);
    await this.#add(this.#markdown?.take(file.path, undefined).files);
  }

  async #add(files: readonly AddedFile[] = []): Promise<void> {
    for (const { path, text } of files) {
      const bytes = Buffer.from(text);
      await this.#sink.file({ path, size: bytes.length }, asContent(bytes));
    }
  }
}

/** A page with a link to its Markdown in its head, or at its end if it has none. @returns its parts */
function insertLink(path: string, bytes: Buffer, read: MarkdownPage | undefined, link?: string): Buffer[] {
  const isXml = mediaTypeOf(path)?.inspectedAs === "xml";
  const isForeign = read === undefined || isXml || /^(?:utf-16|iso-2022)/.test(read.page.encoding);
  // a relative address in a page with a base would lead elsewhere
  if (link === undefined || isForeign || read.base !== undefined) return [bytes];
  const at = read.headEnd ?? (read.page.canAppend ? bytes.length : undefined);
  if (at === undefined) return [bytes];
  const address = link.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const element = Buffer.from(`<link rel="alternate" type="text/markdown" href="${address}">`);
  return [bytes.subarray(0, at), element, bytes.subarray(at)];
}
