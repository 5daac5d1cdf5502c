import { posix } from "node:path";

/** File names that stand for their folder, best first: the best one found becomes the folder's `index.html`. */
const FOLDER_PAGE_NAMES = ["index", "readme"];

/**
 * Assigns an address to each file of the exported site. Two addresses never differ only in letter case or in Unicode form: such
 * files would overwrite each other where the archive is unpacked on macOS or Windows.
 */
export class Addresses {
  readonly #taken = new Set<string>();

  /** Takes `wanted`, or the next free address like it (`page-2.html`). */
  claim(wanted: string): string {
    const { dir, name, ext } = posix.parse(wanted);
    let address = wanted;
    for (let number = 2; this.#taken.has(foldCase(address)); number++) {
      address = posix.join(dir, `${name}-${number}${ext}`);
    }
    this.#taken.add(foldCase(address));
    return address;
  }
}

export interface PagePlace {
  /** Path in the exported site, for example `Guides/index.html`. */
  readonly address: string;
  /** Whether this page is the page of its folder. */
  readonly isFolderPage: boolean;
}

/** Chooses an address for every page; the first to `claim` a disputed address gets it. */
export function assignPageAddresses(
  sources: readonly string[],
  addresses: Addresses,
): Map<string, PagePlace> {
  const folderPages = new Map<string, string>();
  for (const name of FOLDER_PAGE_NAMES) {
    for (const source of sources) {
      const folder = posix.dirname(source);
      if (stem(source).toLowerCase() === name && !folderPages.has(folder)) folderPages.set(folder, source);
    }
  }
  const assigned = new Map<string, PagePlace>();
  const claim = (source: string, isFolderPage: boolean) => {
    const file = isFolderPage ? "index.html" : `${stem(source)}.html`;
    assigned.set(source, { address: addresses.claim(posix.join(posix.dirname(source), file)), isFolderPage });
  };
  // folder pages first: servers and readers expect them at the folder's address
  for (const source of folderPages.values()) claim(source, true);
  for (const source of sources) if (!assigned.has(source)) claim(source, false);
  return assigned;
}

/** The URL from one file of the site to another: always relative, so that the site works in any folder and from disk. */
export function relativeUrl(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to).split("/").map(encodeURIComponent).join("/");
}

function stem(path: string): string {
  return posix.parse(path).name;
}

function foldCase(address: string): string {
  return address.normalize("NFC").toLowerCase();
}
