import { basename, dirname } from "node:path/posix";
import { isPage } from "../inspection/mediaTypes";
import { isExcluded } from "../sitePages/pathPatterns";
import { LINK_MARK } from "./inlineMarkdown";

/** Endings of pages, the most usual first: the page with the first one has the Markdown that several could have. */
const ENDINGS = [".html", ".htm", ".xhtml", ".xht", ".shtml"];
const ENDING = new RegExp(`(?:${ENDINGS.map((each) => `\\${each}`).join("|")})$`, "i");

/** Whether the site has a file. @param path below the site's root */
type HasFile = (path: string) => boolean;

/** Where the Markdown of a site's pages is. */
export class MarkdownPaths {
  readonly #hasFile: HasFile;
  readonly #hasFolder: HasFile;
  readonly #exclude: readonly string[];

  /**
   * @param exclude patterns of pages without Markdown
   * @param hasFolder whether the site has a folder: no file can have its name
   */
  constructor(hasFile: HasFile, exclude: readonly string[] = [], hasFolder: HasFile = () => false) {
    this.#hasFile = hasFile;
    this.#hasFolder = hasFolder;
    this.#exclude = exclude;
  }

  /**
   * The addresses of a page's Markdown, the first one for links: `guide.md` of `guide.html`; `guide/index.md` and `guide.md` of
   * `guide/index.html`. Empty for a file without Markdown. The site's own files are among them.
   */
  of(page: string): string[] {
    if (!isPage(page) || !ENDING.test(page) || /(?:^|\/)404\.html?$/i.test(page)) return [];
    if (isExcluded(page, this.#exclude)) return [];
    const stem = page.replace(ENDING, "");
    const first = ENDINGS.find((ending) => this.#hasFile(stem + ending));
    // of another page with the same name
    if (first !== undefined && stem + first !== page) return [`${page}.md`];
    const folder = dirname(stem);
    const isIndex = basename(stem) === "index" && folder !== ".";
    const isFree = isIndex && !ENDINGS.some((ending) => this.#hasFile(folder + ending));
    const paths = isFree ? [`${stem}.md`, `${folder}.md`] : [`${stem}.md`];
    const free = paths.filter((path) => !this.#hasFolder(path));
    return free.length > 0 ? free : [`${page}.md`].filter((path) => !this.#hasFolder(path));
  }

  /** Whether the site brings a file itself, or a folder of this name, which stays. */
  isOwn(path: string): boolean {
    return this.#hasFile(path) || this.#hasFolder(path);
  }
}

/**
 * Markdown for a place: the links in it lead there from that place.
 *
 * @param folder of the file, `.` for the root
 * @param targetOf the file of the site that an address leads to, and what follows it; or the address itself
 */
export function placed(markdown: string, folder: string, targetOf: (address: string) => LinkTarget): string {
  const known = new Map<string, string>();
  // between two marks is an address
  const parts = markdown.split(LINK_MARK);
  for (let at = 1; at < parts.length; at += 2) {
    const address = parts[at] ?? "";
    let found = known.get(address);
    if (found === undefined) {
      const target = targetOf(address);
      found = "address" in target ? target.address : addressFrom(folder, target);
      known.set(address, found);
    }
    parts[at] = found;
  }
  return parts.join("");
}

/** Where a link leads: to a file of the site, or to an address as the page has it. */
export type LinkTarget =
  | { readonly address: string }
  | {
      /** Path below the site's root. */
      readonly path: string;
      /** Query and fragment. */
      readonly suffix: string;
    };

/** The address of a file of the site, as seen from a folder. */
export function addressFrom(folder: string, { path, suffix }: Extract<LinkTarget, { path: string }>): string {
  const way = wayFrom(folder === "." ? [] : folder.split("/"), path.split("/"));
  // a first part with a colon would be a scheme
  const begin = /^[^/]*:/.test(way) ? "./" : "";
  return begin + encodedPath(way) + suffix;
}

/** The way from a folder to a file. */
function wayFrom(folder: readonly string[], path: readonly string[]): string {
  let common = 0;
  while (common < folder.length && common < path.length - 1 && folder[common] === path[common]) common++;
  return "../".repeat(folder.length - common) + path.slice(common).join("/");
}

/** A path in an address between the brackets of a link. */
export function encodedPath(path: string): string {
  return encodeURI(path).replace(
    /[?#()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
