import type { Reporter } from "../../base/runtime/messages/reporter";
import type { SiteFile, SiteSink } from "../archives/site";
import { isPage, mediaTypeOf } from "../inspection/mediaTypes";
import { MAX_BYTES } from "../inspection/textLoads";
import { PageThread } from "../llmsTxt/pageThread";
import { type AddedFile, notesOn, type SiteMarkdown } from "../llmsTxt/siteMarkdown";
import { asContent, refuseSearchFolder, type SiteSearch } from "../offlineSearch/siteSearch";

/**
 * Adds Markdown to the pages of a site on their way to a destination and, with it, a search: each page is read once, in a thread. A page
 * gets a link to its Markdown in its head.
 */
export class PagesWithMarkdown implements SiteSink {
  readonly #sink: SiteSink;
  readonly #markdown: SiteMarkdown;
  readonly #search: SiteSearch | undefined;
  readonly #thread = new PageThread();
  readonly #signal: AbortSignal;

  constructor(sink: SiteSink, markdown: SiteMarkdown, search: SiteSearch | undefined, signal: AbortSignal) {
    this.#sink = sink;
    this.#markdown = markdown;
    this.#search = search;
    this.#signal = signal;
  }

  async file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { path, size } = file;
    if (this.#search) refuseSearchFolder(path);
    if (!isPage(path) || size > MAX_BYTES) {
      await this.#sink.file(file, content);
      await this.#add(this.#markdown.take(path, undefined).files);
      return;
    }
    const bytes = Buffer.concat(await Array.fromAsync(content));
    const read = await this.#thread.read(bytes);
    this.#signal.throwIfAborted();
    const { files, link } = this.#markdown.take(path, read);
    const tail = read && this.#search ? this.#search.take(path, read.page, read.encoding) : Buffer.alloc(0);
    const isXml = mediaTypeOf(path)?.inspectedAs === "xml";
    const isForeign = read === undefined || isXml || /^(?:utf-16|iso-2022)/.test(read.encoding);
    const element =
      link === undefined || isForeign
        ? Buffer.alloc(0)
        : Buffer.from(
            `<link rel="alternate" type="text/markdown" href="${link.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">`,
          );
    const end = read?.page.canAppend === true ? bytes.length : undefined;
    // a relative address in a page with a base would lead elsewhere
    const at = read?.base === undefined ? (read?.headEnd ?? end) : undefined;
    const parts =
      at === undefined ? [bytes, tail] : [bytes.subarray(0, at), element, bytes.subarray(at), tail];
    const whole = parts.reduce((sum, { length }) => sum + length, 0);
    await this.#sink.file({ path, size: whole }, asContent(...parts));
    await this.#add(files);
  }

  /** Writes `llms.txt` and, with it, the search. @returns the number of listed pages, and of those that the search finds */
  async finish(
    reporter?: Pick<Reporter, "info" | "warn">,
  ): Promise<{ llmsPages: number; searchPages: number | undefined }> {
    const { files, pages } = this.#markdown.finish();
    await this.#add(files);
    const { info, warn } = notesOn(this.#markdown);
    for (const line of info) reporter?.info(line);
    for (const line of warn) reporter?.warn(line);
    return { llmsPages: pages, searchPages: await this.#search?.finish() };
  }

  /** Ends the thread. */
  end(): Promise<void> {
    return this.#thread.end();
  }

  async #add(files: readonly AddedFile[]): Promise<void> {
    for (const { path, text } of files) {
      const bytes = Buffer.from(text);
      await this.#sink.file({ path, size: bytes.length }, asContent(bytes));
    }
  }
}
