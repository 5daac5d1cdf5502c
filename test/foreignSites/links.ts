import { readdirSync } from "node:fs";
import { relative } from "node:path";

/** An address in an attribute that a browser loads or a reader follows, or to which the page leads on by itself. */
const ADDRESS =
  /<(?:a|area|link|script|img|iframe|frame|source|object|embed|form)\b[^>]*?\s(?:href|src|data|action)\s*=\s*(?:"([^"]*)"|'([^']*)')|<meta\b[^>]*\bcontent\s*=\s*"\d+;\s*url=([^"]*)"/gi;
const BASE = /<base\b[^>]*\bhref\s*=\s*"([^"]*)"/i;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", quot: '"', lt: "<", gt: ">", apos: "'" };
const AT_ONCE = 8;

/** The pages of a folder, as addresses without a host: `guide.html`, `guide/` of an index document. */
export function pagesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.x?html$/.test(entry.name))
    .map((entry) => relative(folder, `${entry.parentPath}/${entry.name}`))
    .sort()
    .map((path) => `/${path.split("/").map(encodeURIComponent).join("/")}`)
    .map((path) => path.replace(/\/index\.html$/, "/"));
}

/** Addresses of pages as readers share them: without the ending, and with a slash where a folder of the same name is beside the page. */
export function cleanAddresses(pages: readonly string[]): string[] {
  return pages
    .filter((page) => page.endsWith(".html") && !page.endsWith("/404.html"))
    .map((page) => page.slice(0, -".html".length))
    .flatMap((page) => (pages.some((other) => other.startsWith(`${page}/`)) ? [page, `${page}/`] : [page]));
}

/** What a reader gets who follows all links. Addresses are without the host. */
export interface Crawled {
  /** Those of the given pages that are not there, with the status. */
  readonly missing: readonly string[];
  /** Targets of links that are not there, and one of the pages with such a link. */
  readonly dead: ReadonlyMap<string, string>;
  /** How many targets were asked for. */
  readonly targets: number;
}

/** Opens pages, and all pages of the same host that they lead to, as a browser does: each link from where the page is in the end. */
export async function crawl(host: string, pages: readonly string[]): Promise<Crawled> {
  const begun = pages.map((page) => new URL(page, host).href);
  const from = new Map(begun.map((address) => [address, ""]));
  const missing: string[] = [];
  const dead = new Map<string, string>();
  const waiting = [...begun];
  const visit = async (address: string): Promise<void> => {
    const response = await fetch(address);
    const text = await response.text();
    const path = address.slice(host.length);
    const source = from.get(address) ?? "";
    if (!response.ok) {
      if (source === "") missing.push(`${response.status} ${path}`);
      else dead.set(path, source);
      return;
    }
    if (!/html/.test(response.headers.get("content-type") ?? "")) return;
    for (const link of linksIn(text, response.url)) {
      if (!link.startsWith(`${host}/`) || from.has(link)) continue;
      from.set(link, response.url.slice(host.length));
      waiting.push(link);
    }
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(0, AT_ONCE).map(visit));
  return { missing, dead, targets: from.size };
}

/** The addresses that a page loads or leads to, without fragments. @param address of the page */
export function linksIn(html: string, address: string): string[] {
  const base = new URL(decoded(BASE.exec(html)?.[1] ?? ""), address).href;
  return [...html.matchAll(ADDRESS)]
    .map(([, one, other, refresh]) => decoded(one ?? other ?? refresh ?? "").trim())
    .filter((link) => link !== "" && !link.startsWith("#") && URL.canParse(link, base))
    .map((link) => new URL(link, base).href.replace(/#.*/s, ""));
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    const code = decimal !== undefined ? Number(decimal) : parseInt(String(hexadecimal), 16);
    return Number.isNaN(code) ? (ENTITIES[String(name)] ?? whole) : String.fromCodePoint(code);
  });
}
