import { posix } from "node:path";
import { relativeUrl } from "./addresses.ts";
import { Markup, markup } from "./markup.ts";
import { type Page, titleOfName } from "./page.ts";

interface Folder {
  readonly path: string;
  readonly title: string;
  readonly pages: Page[];
  readonly folders: Folder[];
}

/** Up to this number of pages, all folders are shown open: the whole table of contents is still easy to read. */
const ALL_OPEN_UP_TO_PAGES = 100;

const collator = new Intl.Collator("en", { numeric: true });

/** The table of contents that every page carries. */
export class Navigation {
  /** All pages in reading order. */
  readonly order: readonly Page[];
  readonly #root: Folder;
  readonly #positions: ReadonlyMap<Page, number>;
  /** Pages of one folder differ only in the current entry, and they are rendered one after the other. */
  #lastRendered: { folder: string; source: string } | undefined;

  constructor(pages: Iterable<Page>) {
    this.#root = buildTree(pages);
    this.order = flatten(this.#root);
    this.#positions = new Map(this.order.map((page, index) => [page, index]));
  }

  previous(page: Page): Page | undefined {
    return this.order[(this.#positions.get(page) ?? 0) - 1];
  }

  next(page: Page): Page | undefined {
    const position = this.#positions.get(page);
    return position === undefined ? undefined : this.order[position + 1];
  }

  /** The folders above the page, outermost first, each with its own page, if it has one. */
  trail(page: Page): { title: string; page: Page | undefined }[] {
    const trail = [];
    let folder: Folder | undefined = this.#root;
    while ((folder = folder.folders.find(({ path }) => page.source.startsWith(`${path}/`)))) {
      const standsForIt = folder.pages.find(({ isFolderPage }) => isFolderPage);
      if (standsForIt !== page) trail.push({ title: folder.title, page: standsForIt });
    }
    return trail;
  }

  /** The nested list, with links relative to `address` and with that page marked as the current one. */
  render(address: string): Markup {
    const folder = posix.dirname(address);
    if (this.#lastRendered?.folder !== folder) {
      this.#lastRendered = { folder, source: this.#list(this.#root, address).source };
    }
    const href = `<a href="${relativeUrl(address, address)}"`;
    return new Markup(this.#lastRendered.source.replace(href, () => `${href} aria-current="page"`));
  }

  #list({ pages, folders }: Folder, from: string): Markup {
    const allOpen = this.order.length <= ALL_OPEN_UP_TO_PAGES;
    const entries = pages.map((page) => {
      const href = relativeUrl(from, page.address);
      return markup`<li><a href="${href}">${entryLabel(page)}</a></li>\n`;
    });
    const subfolders = folders.map((folder) => {
      const open = (allOpen || from.startsWith(`${folder.path}/`)) && markup` open`;
      const list = this.#list(folder, from);
      return markup`<li><details${open}><summary>${folder.title}</summary>${list}</details></li>\n`;
    });
    return markup`<ul>\n${entries}${subfolders}</ul>\n`;
  }
}

/** In its own folder's list, the folder's page need not repeat the folder's name. */
function entryLabel(page: Page): string {
  return page.isFolderPage ? "Overview" : page.title;
}

function buildTree(pages: Iterable<Page>): Folder {
  const root: Folder = { path: ".", title: "", pages: [], folders: [] };
  const folders = new Map([[root.path, root]]);
  const folderAt = (path: string): Folder => {
    const known = folders.get(path);
    if (known) return known;
    const folder: Folder = { path, title: titleOfName(posix.basename(path)), pages: [], folders: [] };
    folders.set(path, folder);
    folderAt(posix.dirname(path)).folders.push(folder);
    return folder;
  };
  for (const page of pages) folderAt(posix.dirname(page.source)).pages.push(page);
  for (const folder of folders.values()) {
    folder.pages.sort(
      (a, b) =>
        Number(b.isFolderPage) - Number(a.isFolderPage) ||
        orderOf(a) - orderOf(b) ||
        collator.compare(a.source, b.source),
    );
  }
  for (const folder of folders.values()) {
    folder.folders.sort((a, b) => firstOrder(a) - firstOrder(b) || collator.compare(a.path, b.path));
  }
  return root;
}

/** A position that can be compared: pages without one come last. */
const orderOf = ({ order }: Page): number => order ?? Number.MAX_SAFE_INTEGER;

/** A folder is where the first of its pages would be. */
function firstOrder(folder: Folder): number {
  return Math.min(...flatten(folder).map(orderOf), Number.MAX_SAFE_INTEGER);
}

function flatten({ pages, folders }: Folder): Page[] {
  return [...pages, ...folders.flatMap(flatten)];
}
