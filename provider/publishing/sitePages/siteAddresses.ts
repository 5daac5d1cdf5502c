import { dirname } from "node:path/posix";
import { decoded } from "../inspection/externalAddress";

/** How a site links to its pages: servers accept several addresses, client routers only their own. */
const STYLES = ["file", "slash", "bare"] as const;
type Style = (typeof STYLES)[number];

/** Longer addresses, in UTF-16 units, and deeper ones lead to no page: no path of a site is that long. */
const LONGEST_ADDRESS = 4_096;
const MOST_FOLDERS = 100;
/** Most addresses of a folder's pages whose paths are remembered. */
const MOST_REMEMBERED = 10_000;

/** Learns from a site's links how it writes the addresses of its pages. */
export class SiteAddresses {
  readonly #hasFile: (path: string) => boolean;
  /** How many links lead to a page (`page`) or to that of a folder (`index`) in each style: `index slash`. */
  readonly #counts = new Map<string, number>();
  /** The folder of the last page, and the paths that addresses may lead to from it: pages beside each other have many in common. */
  #folder = "";
  readonly #paths = new Map<string, readonly string[]>();

  /** @param hasFile whether the site has a file */
  constructor(hasFile: (path: string) => boolean) {
    this.#hasFile = hasFile;
  }

  /** @param links addresses as the page has them */
  learn(page: string, links: readonly string[]): void {
    for (const link of links) {
      const kinds = this.#pathsOf(page, link)
        .values()
        .map((path) => this.#kindOf(path));
      const kind = kinds.find((each) => each !== undefined);
      if (kind !== undefined) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    }
  }

  /** Whether a link of a page leads to the page itself. */
  isOwn(page: string, link: string): boolean {
    return /^[#?]/.test(link) || this.fileOf(page, link) === page;
  }

  /** The file of the site that a link of a page leads to; undefined for another place. */
  fileOf(page: string, link: string): string | undefined {
    for (const path of this.#pathsOf(page, link)) {
      const bare = path.replace(/\/$/, "");
      const folder = bare === "" ? "" : `${bare}/`;
      const [page, index] = [[`${bare}.html`], [`${folder}index.html`, `${folder}index.htm`]];
      const order = path === bare ? [path, ...page, ...index] : [path, ...index, ...page];
      const file = order.find(this.#hasFile);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  /** The address of a page below the site's root, in the way that most links are written. */
  addressOf(path: string): string {
    const [, folder, name] = /^(.*?)(?:(?:^|(?<=\/))index|([^/]*?))\.html?$/.exec(path) ?? [];
    if (folder === undefined) return path;
    const style = name === undefined ? this.#most("index", "slash") : this.#most("page", "file");
    if (style === "file") return path;
    const bare = name === undefined ? folder.replace(/\/$/, "") : folder + name;
    return style === "slash" && bare !== "" ? `${bare}/` : bare;
  }

  /**
   * The path that the site's root has on its server, if a page shows it: `/handbook/` for a page that loads
   * `/handbook/app.js` of a site with the file `app.js`. Such a page may be served at more than one address.
   */
  rootOf(loads: readonly string[]): string | undefined {
    for (const load of loads) {
      const path = addressIn(load) ?? "";
      for (const slash of slashesIn(path)) {
        if (this.#hasFile(path.slice(slash + 1))) return path.slice(0, slash + 1);
      }
    }
    return undefined;
  }

  /** The paths that a link of a page may lead to: the path of the site on its server is unknown. */
  #pathsOf(page: string, link: string): readonly string[] {
    const folder = dirname(page);
    if (folder !== this.#folder || this.#paths.size >= MOST_REMEMBERED) this.#paths.clear();
    this.#folder = folder;
    const address = withoutSuffix(link);
    const paths = this.#paths.get(address) ?? pathsFrom(folder, address);
    this.#paths.set(address, paths);
    return paths;
  }

  /** What a link to a path leads to, and its style; undefined if it leads to no file. */
  #kindOf(path: string): string | undefined {
    if (this.#hasFile(path)) {
      if (!/\.html?$/.test(path)) return "no page";
      return /(?:^|\/)index\.html?$/.test(path) ? "index file" : "page file";
    }
    const bare = path.replace(/\/$/, "");
    const style: Style = path !== bare || path === "" ? "slash" : "bare";
    const isIndex = this.#hasFile(bare === "" ? "index.html" : `${bare}/index.html`);
    if (this.#hasFile(`${bare}.html`) && !(isIndex && style === "slash")) return `page ${style}`;
    return isIndex ? `index ${style}` : undefined;
  }

  #most(kind: "index" | "page", otherwise: Style): Style {
    const count = (style: Style): number => this.#counts.get(`${kind} ${style}`) ?? 0;
    return STYLES.reduce((best, style) => (count(style) > count(best) ? style : best), otherwise);
  }
}

function pathsFrom(folder: string, link: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^$/i.test(link)) return [];
  const address = addressIn(link);
  if (address === undefined) return [];
  if (address.startsWith("/")) return slashesIn(address).map((slash) => address.slice(slash + 1));
  const { pathname } = new URL(encodeURI(address), `http://site/${folder}/`);
  const path = decoded(pathname);
  return path === undefined ? [] : [path.slice(1)];
}

/** The address without query and fragment; undefined if no page of a site can have it. */
function addressIn(link: string): string | undefined {
  const address = withoutSuffix(link);
  return address.length > LONGEST_ADDRESS ? undefined : decoded(address);
}

/** An address without query and fragment. */
function withoutSuffix(address: string): string {
  const end = address.search(/[?#]/);
  return end < 0 ? address : address.slice(0, end);
}

function slashesIn(address: string): number[] {
  const slashes = Array.from(address.matchAll(/\//g), ({ index }) => index);
  return slashes.length > MOST_FOLDERS ? [] : slashes;
}
