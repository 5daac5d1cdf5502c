import { basename, dirname, relative } from "node:path/posix";
import { shown } from "../archives/refusal";
import { leadsAway } from "../sitePages/redirect";
import { SiteAddresses } from "../sitePages/siteAddresses";
import { LINK_MARK } from "./inlineMarkdown";
import { addressOf, type ListedPage, llmsText, pagesInOrder } from "./llmsText";
import { addressFrom, type LinkTarget, MarkdownPaths, placed } from "./markdownPaths";
import type { LlmsTxt, LlmsTxtOptions } from "./options";
import type { MarkdownPage } from "./readMarkdown";

const LLMS_TXT = "llms.txt";
const LLMS_FULL = "llms-full.txt";

/** Largest `llms-full.txt`, in bytes: no reader takes more at once. */
const FULL_BYTES = 16 * 2 ** 20;

/** A file that is added. */
export interface AddedFile {
  readonly path: string;
  readonly text: string;
}

/** The Markdown of a site's pages, and the lists of it. The same files give the same bytes, in any order. */
export class SiteMarkdown {
  readonly #options: LlmsTxtOptions;
  readonly #paths: MarkdownPaths;
  readonly #addresses: SiteAddresses;
  readonly #listed: ListedPage[] = [];
  readonly #full: FullText | undefined;
  /** Files of the site that stay instead of Markdown that would be added. */
  readonly #own: string[] = [];
  /** Pages whose content could not be read. */
  readonly #unread: string[] = [];

  /**
   * @param hasFile whether the site has a file
   * @param hasFolder whether it has a folder
   */
  constructor(wanted: LlmsTxt, hasFile: (path: string) => boolean, hasFolder?: (path: string) => boolean) {
    this.#options = wanted === true ? {} : wanted;
    this.#paths = new MarkdownPaths(hasFile, this.#options.exclude, hasFolder);
    this.#addresses = new SiteAddresses(hasFile);
    this.#full = this.#options.full === true ? new FullText() : undefined;
  }

  /** What to say of the files of the site that stay, and of pages that could not be read. */
  get own(): readonly string[] {
    return this.#own.toSorted();
  }

  get unread(): readonly string[] {
    return this.#unread.toSorted();
  }

  /** Lines on what was not added, for reports. */
  get notes(): { readonly info: readonly string[]; readonly warn: readonly string[] } {
    const { own, unread } = this;
    const [firstOwn = ""] = own;
    const [firstUnread = ""] = unread;
    return {
      info:
        own.length === 0
          ? []
          : [
              `llmsTxt keeps ${own.length === 1 ? "a file" : `${own.length} files`} that the site brings itself, such as ${shown(firstOwn)}`,
            ],
      warn:
        unread.length === 0
          ? []
          : [
              `llmsTxt has no text of ${unread.length === 1 ? "a page" : `${unread.length} pages`}, such as ${shown(firstUnread)}: ${unread.length === 1 ? "it is" : "they are"} too large`,
            ],
    };
  }

  /**
   * The Markdown of a page.
   *
   * @param read undefined for a page that is too large, or that could not be read
   * @returns the files to add, and the address of the page's Markdown as the page writes it, if it has one
   */
  take(path: string, read: MarkdownPage | undefined): { files: AddedFile[]; link: string | undefined } {
    const paths = this.#paths.of(path);
    const [first] = paths;
    if (first === undefined) return { files: [], link: undefined };
    const own = paths.filter((each) => this.#paths.isOwn(each));
    this.#own.push(...own);
    if (read === undefined) this.#unread.push(path);
    const markdown = read ? this.#withTitle(path, read) : unreadText(path);
    const targets = new Map<string, LinkTarget>();
    const targetOf = (address: string): LinkTarget => {
      const target = targets.get(address) ?? this.#targetOf(path, address, read?.base);
      targets.set(address, target);
      return target;
    };
    const files = paths
      .filter((each) => !this.#paths.isOwn(each))
      .map((each) => ({ path: each, text: placed(markdown, dirname(each), targetOf) }));
    if (read && !this.#isUnlisted(path, read)) {
      this.#list(path, first, read);
      this.#full?.add(path, () => placed(markdown, ".", (address) => this.#fromRoot(targetOf(address))));
    }
    return { files, link: addressFrom(dirname(path), { path: first, suffix: "" }) };
  }

  /** The files that need all pages. @returns the number of pages in `llms.txt` too */
  finish(): { files: AddedFile[]; pages: number } {
    const listed = pagesInOrder(this.#listed);
    const files: AddedFile[] = [];
    const add = (path: string, text: string): void => {
      if (this.#paths.isOwn(path)) this.#own.push(path);
      else files.push({ path, text });
    };
    add(LLMS_TXT, llmsText(listed, this.#options));
    if (this.#full) add(LLMS_FULL, this.#full.text(listed, this.#options));
    return { files, pages: listed.length };
  }

  #list(path: string, markdown: string, { page, description, sentence }: MarkdownPage): void {
    this.#listed.push({
      path,
      markdown,
      title: page.title,
      heading: page.heading,
      description: description.trim(),
      sentence,
    });
  }

  /** Pages that ask to be left out, and those that lead to another one. */
  #isUnlisted(path: string, { page }: MarkdownPage): boolean {
    return page.isNoindex || this.#redirectOf(path, page) !== undefined;
  }

  #redirectOf(path: string, { redirect }: MarkdownPage["page"]): string | undefined {
    const isAway = redirect && leadsAway(redirect, (link) => this.#addresses.isOwn(path, link));
    return isAway ? redirect.address : undefined;
  }

  #withTitle(path: string, { markdown, hasTitle, page }: MarkdownPage): string {
    const redirect = this.#redirectOf(path, page);
    if (redirect !== undefined) {
      return `The page is at [${redirect.replace(/[[\]\\]/g, "\\$&")}](${LINK_MARK}${redirect}${LINK_MARK}).\n`;
    }
    const title = hasTitle || page.title === "" ? "" : `# ${page.title}\n\n`;
    return `${title}${markdown}\n`;
  }

  /** Where a link of a page leads: to the Markdown of a page of the site, to another file of it, or elsewhere. */
  #targetOf(page: string, written: string, base: string | undefined): LinkTarget {
    const address = base === undefined ? written : basedOn(page, base, written);
    const [, bare = "", suffix = ""] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
    if (bare === "") return { address };
    const file = this.#addresses.fileOf(page, bare);
    if (file === undefined) {
      const isRelative = !/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(bare);
      return isRelative ? missing(page, bare, suffix) : { address };
    }
    const [markdown] = this.#paths.of(file);
    if (markdown === undefined) return { path: file, suffix };
    return { path: markdown, suffix: suffix.replace(/^\?[^#]*/, "") };
  }

  /** The links of `llms-full.txt` are those of `llms.txt`. */
  #fromRoot(target: LinkTarget): LinkTarget {
    if ("address" in target || this.#options.baseUrl === undefined) return target;
    return { address: addressOf(target.path, this.#options) + target.suffix };
  }
}

/** A relative address that leads to no file of the site: still the same place, wherever the Markdown is. */
function missing(page: string, bare: string, suffix: string): LinkTarget {
  const url = URL.parse(bare, `http://site/${encodeURI(dirname(page))}/`);
  if (url === null) return { address: bare + suffix };
  try {
    const path = decodeURIComponent(url.pathname).slice(1);
    return path === "" ? { address: bare + suffix } : { path, suffix };
  } catch {
    return { address: bare + suffix };
  }
}

/** An address of a page as its `<base href>` changes it. */
function basedOn(page: string, base: string, address: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(address)) return address;
  const from = URL.parse(base, `https://site/${encodeURI(page)}`);
  const url = from && URL.parse(address, from.href);
  if (!url) return address;
  if (url.host !== "site") return url.href;
  const { pathname, search, hash } = url;
  if (base.startsWith("/")) return pathname + search + hash;
  const way = relative(`/${encodeURI(dirname(page))}`, pathname);
  return `${way || "."}${pathname.endsWith("/") ? "/" : ""}${search}${hash}`;
}

function unreadText(path: string): string {
  const name = basename(path);
  return `The content of this page is not available as Markdown: [${name.replace(/[[\]\\]/g, "\\$&")}](${addressFrom(dirname(path), { path, suffix: "" })})\n`;
}

/** The Markdown of all pages up to a size: as many as fit, in their order, whatever the order in which they come. */
class FullText {
  readonly #pages = new Map<string, Buffer>();
  #bytes = 0;
  /** From this page on, pages do not fit. */
  #end: string | undefined;

  add(path: string, text: () => string): void {
    if (this.#end !== undefined && !isBefore(path, this.#end)) return;
    const bytes = Buffer.from(text());
    this.#pages.set(path, bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > 2 * FULL_BYTES) this.#cut(); // rarely, because it sorts
  }

  #cut(): void {
    const ordered = pagesInOrder([...this.#pages.keys()].map((path) => ({ path })));
    while (this.#bytes > FULL_BYTES) {
      const last = ordered.pop();
      if (last === undefined) return;
      this.#bytes -= this.#pages.get(last.path)?.length ?? 0;
      this.#pages.delete(last.path);
      this.#end = last.path;
    }
  }

  text(listed: readonly ListedPage[], options: LlmsTxtOptions): string {
    this.#cut();
    const kept = listed.filter(({ path }) => this.#pages.has(path));
    const parts = kept.map((page) => {
      const text = this.#pages.get(page.path)?.toString() ?? "";
      return `<!-- ${addressOf(page.markdown, options)} -->\n\n${text}`;
    });
    if (kept.length < listed.length) {
      const limit = `${FULL_BYTES / 2 ** 20} MiB`;
      parts.push(
        `This file has ${kept.length} of ${listed.length} pages: it ends at ${limit}. The other pages are in [llms.txt](${addressOf(LLMS_TXT, options)}).\n`,
      );
    }
    return parts.join("\n");
  }
}

function isBefore(one: string, other: string): boolean {
  return pagesInOrder([{ path: one }, { path: other }])[0]?.path === one && one !== other;
}
