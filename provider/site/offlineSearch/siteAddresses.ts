import { dirname } from "node:path/posix";

/** How a site links to its pages: servers accept several addresses, client routers only their own. */
type Style = "file" | "bare" | "slash";

/** Longer addresses, in UTF-16 units, and deeper ones lead to no page: no path of a site is that long. */
const LONGEST_ADDRESS = 4_096;
const MOST_FOLDERS = 100;

/** Learns from a site's links how it writes the addresses of its pages. */
export class SiteAddresses {
  readonly #hasFile: (path: string) => boolean;
  readonly #counts = { index: new Map<Style, number>(), page: new Map<Style, number>() };

  /** @param hasFile whether the site has a file */
  constructor(hasFile: (path: string) => boolean) {
    this.#hasFile = hasFile;
  }

  /** @param links addresses as the page has them */
  learn(page: string, links: readonly string[]): void {
    for (const link of links) {
      const path = this.#pathOf(page, link);
      if (path === undefined) continue;
      const bare = path.replace(/\/$/, "");
      const style: Style = path !== bare || path === "" ? "slash" : "bare";
      if (this.#hasFile(path)) {
        if (/\.html?$/.test(path)) this.#count(/(?:^|\/)index\.html?$/.test(path) ? "index" : "page", "file");
      } else if (this.#hasFile(`${bare}.html`)) this.#count("page", style);
      else if (this.#hasFile(below(bare, "index.html"))) this.#count("index", style);
    }
  }

  /** The address of a page below the site's root, in the way that most links are written. */
  addressOf(path: string): string {
    const [, folder, name] = /^(.*?)(?:(?:^|(?<=\/))index|([^/]*?))\.html?$/.exec(path) ?? [];
    if (folder === undefined) return path;
    if (name === undefined) {
      const style = this.#most("index", "slash");
      return style === "file" ? path : style === "slash" ? folder : folder.replace(/\/$/, "");
    }
    const style = this.#most("page", "file");
    return style === "file" ? path : `${folder}${name}${style === "slash" ? "/" : ""}`;
  }

  /**
   * The path that the site's root has on its server, if a page shows it: `/handbook/` for a page that loads
   * `/handbook/app.js` of a site with the file `app.js`. Such a page may be served at more than one address.
   */
  rootOf(loads: readonly string[]): string | undefined {
    for (const load of loads) {
      const path = addressIn(load);
      for (const slash of path === undefined ? [] : slashesIn(path)) {
        if (path !== undefined && this.#hasFile(path.slice(slash + 1))) return path.slice(0, slash + 1);
      }
    }
    return undefined;
  }

  #pathOf(page: string, link: string): string | undefined {
    if (/^[a-z][a-z0-9+.-]*:|^\/\/|^[#?]/i.test(link) || link === "") return undefined;
    const address = addressIn(link);
    if (address === undefined) return undefined;
    if (!address.startsWith("/")) {
      const url = new URL(`http://site/${dirname(page)}/`);
      return decoded(new URL(encodeURI(address), url).pathname)?.slice(1);
    }
    // the path of the server is unknown: the first candidate that is a file
    for (const slash of slashesIn(address)) {
      const path = address.slice(slash + 1);
      const bare = path.replace(/\/$/, "");
      if ([path, `${bare}.html`, below(bare, "index.html")].some(this.#hasFile)) return path;
    }
    return undefined;
  }

  #count(kind: "index" | "page", style: Style): void {
    this.#counts[kind].set(style, (this.#counts[kind].get(style) ?? 0) + 1);
  }

  #most(kind: "index" | "page", otherwise: Style): Style {
    let [most, best] = [0, otherwise];
    for (const style of ["file", "slash", "bare"] as const) {
      const count = this.#counts[kind].get(style) ?? 0;
      if (count > most || (count === most && count > 0 && style === otherwise)) [most, best] = [count, style];
    }
    return best;
  }
}

/** The address without query and fragment; undefined if no page of a site can have it. */
function addressIn(link: string): string | undefined {
  const end = link.search(/[?#]/);
  const address = end < 0 ? link : link.slice(0, end);
  return address.length > LONGEST_ADDRESS ? undefined : decoded(address);
}

function slashesIn(address: string): number[] {
  const slashes: number[] = [];
  for (let at = address.indexOf("/"); at >= 0; at = address.indexOf("/", at + 1)) slashes.push(at);
  return slashes.length > MOST_FOLDERS ? [] : slashes;
}

function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function decoded(address: string): string | undefined {
  try {
    return decodeURI(address);
  } catch {
    return undefined;
  }
}
