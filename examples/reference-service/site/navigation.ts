import { posix } from "node:path";
import { relativeUrl } from "./addresses.ts";
import { Markup, markup } from "./markup.ts";
import { type Page, titleOfName } from "./page.ts";

interface Folder {
  readonly path: string;
  /** The page that stands for the folder, if it has one. */
  page: Page | undefined;
  /** All others, in reading order. */
  readonly entries: (Page | Folder)[];
}

/** Up to this number of pages, all folders are shown open: the whole table of contents is still easy to read. */
const ALL_OPEN_UP_TO_PAGES = 100;

const collator = new Intl.Collator("en", { numeric: true });

/** The table of contents that every page carries. */
export class Navigation {
  /** All pages in reading order: that of the table, which "previous" and "next" follow. */
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
    while (
      (folder = folder.entries.filter(isFolder).find(({ path }) => page.source.startsWith(`${path}/`)))
    ) {
      if (folder.page !== page) trail.push({ title: titleOf(folder), page: folder.page });
    }
    return trail;
  }

  /** The nested list, with links relative to `address` and with that page marked as the current one. */
  render(address: string): Markup {
    const folder = posix.dirname(address);
    if (this.#lastRendered?.folder !== folder) {
      const startPage = this.#root.page && markup`<li>${linkTo(this.#root.page, address)}</li>\n`;
      const { source } = this.#list(this.#root, address, startPage);
      this.#lastRendered = { folder, source };
    }
    const href = `<a href="${relativeUrl(address, address)}"`;
    return new Markup(this.#lastRendered.source.replace(href, () => `${href} aria-current="page"`));
  }

  #list({ entries }: Folder, from: string, first?: Markup): Markup {
    const items = entries.map((entry) =>
      isFolder(entry) ? this.#folder(entry, from) : markup`<li>${linkTo(entry, from)}</li>\n`,
    );
    return markup`<ul class="pages">\n${first}${items}</ul>\n`;
  }

  /** The title of a folder that has a page of its own is the link to that page; the button beside it opens the list. */
  #folder(folder: Folder, from: string): Markup {
    const allOpen = this.order.length <= ALL_OPEN_UP_TO_PAGES;
    const open = (allOpen || from.startsWith(`${folder.path}/`)) && markup` open`;
    const list = this.#list(folder, from);
    if (!folder.page) {
      return markup`<li><details${open}><summary>${titleOf(folder)}</summary>${list}</details></li>\n`;
    }
    const button = markup`<summary class="opens-list"><span>Pages below «${titleOf(folder)}»</span></summary>`;
    return markup`<li class="folder">${linkTo(folder.page, from)}<details${open}>${button}${list}</details></li>\n`;
  }
}

function linkTo(page: Page, from: string): Markup {
  return markup`<a href="${relativeUrl(from, page.address)}">${page.title}</a>`;
}

function isFolder(entry: Page | Folder): entry is Folder {
  return "entries" in entry;
}

/** The name of a folder is for authors: readers see the title of its page. */
function titleOf({ page, path }: Folder): string {
  return page?.title ?? titleOfName(posix.basename(path));
}

function buildTree(pages: Iterable<Page>): Folder {
  const root: Folder = { path: ".", page: undefined, entries: [] };
  const folders = new Map([[root.path, root]]);
  const folderAt = (path: string): Folder => {
    const known = folders.get(path);
    if (known) return known;
    const folder: Folder = { path, page: undefined, entries: [] };
    folders.set(path, folder);
    folderAt(posix.dirname(path)).entries.push(folder);
    return folder;
  };
  for (const page of pages) {
    const folder = folderAt(posix.dirname(page.source));
    if (page.isFolderPage) folder.page = page;
    else folder.entries.push(page);
  }
  sortEntries(root);
  return root;
}

/**
 * Sorts all entries below a folder, and puts the only page of a folder in the place of the folder.
 *
 * @returns the position of the first page
 */
function sortEntries(folder: Folder): number {
  const placed = folder.entries.map((entry) => {
    const position = isFolder(entry) ? sortEntries(entry) : positionOf(entry);
    return { entry: isFolder(entry) ? (onlyPage(entry) ?? entry) : entry, position, path: pathOf(entry) };
  });
  placed.sort(
    (a, b) =>
      a.position - b.position ||
      Number(isFolder(a.entry)) - Number(isFolder(b.entry)) ||
      collator.compare(a.path, b.path),
  );
  folder.entries.splice(0, Infinity, ...placed.map(({ entry }) => entry));
  return Math.min(
    folder.page ? positionOf(folder.page) : UNORDERED,
    ...placed.map(({ position }) => position),
  );
}

/** The position of pages without one: behind all others. */
const UNORDERED = Number.MAX_SAFE_INTEGER;

const positionOf = ({ order }: Page): number => order ?? UNORDERED;

const pathOf = (entry: Page | Folder): string => (isFolder(entry) ? entry.path : entry.source);

function onlyPage({ page, entries: [first, ...others] }: Folder): Page | undefined {
  if (first === undefined) return page;
  return page === undefined && others.length === 0 && !isFolder(first) ? first : undefined;
}

function flatten({ page, entries }: Folder): Page[] {
  return [
    ...(page ? [page] : []),
    ...entries.flatMap((entry) => (isFolder(entry) ? flatten(entry) : [entry])),
  ];
}
