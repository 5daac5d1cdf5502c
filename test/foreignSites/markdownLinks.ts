import MarkdownIt from "markdown-it";
import footnote from "markdown-it-footnote";
import { linksIn } from "./links.ts";

const AT_ONCE = 8;

const renderer = new MarkdownIt({ html: true }).use(footnote);

/** What a program gets that reads `llms.txt`, and then all Markdown that it leads to. Addresses are without the host. */
export interface CrawledMarkdown {
  /** How many pages `llms.txt` lists. */
  readonly listed: number;
  readonly answered: number;
  /** Targets that are not there, and one of the files that name them. */
  readonly dead: ReadonlyMap<string, string>;
  /** Markdown with another media type. */
  readonly otherTypes: readonly string[];
}

/** Asks for every address of the same host. */
export async function crawlMarkdown(host: string, start: string): Promise<CrawledMarkdown> {
  const first = new URL(start, host).href;
  const from = new Map([[first, ""]]);
  const dead = new Map<string, string>();
  const otherTypes: string[] = [];
  const waiting = [first];
  let listed = 0;
  const visit = async (address: string): Promise<void> => {
    const response = await fetch(address);
    const text = await response.text();
    const path = address.slice(host.length);
    if (!response.ok) {
      dead.set(path, from.get(address) ?? "");
      return;
    }
    const type = response.headers.get("content-type") ?? "";
    if (/\.md$/.test(path) && type !== "text/markdown; charset=utf-8") otherTypes.push(`${type} ${path}`);
    if (!/\.(?:md|txt)$/.test(path)) return;
    const links = linksIn(renderer.render(text), response.url).filter((link) => link.startsWith(`${host}/`));
    if (address === first) listed = links.length;
    for (const link of links) {
      if (from.has(link)) continue;
      from.set(link, path);
      waiting.push(link);
    }
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(0, AT_ONCE).map(visit));
  return { listed, answered: from.size - dead.size, dead, otherTypes };
}
