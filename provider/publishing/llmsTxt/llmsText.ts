import { dirname } from "node:path/posix";
import { compareTexts } from "../../base/runtime/values/textOrder";
import { titlesOf, withoutSiteName } from "../sitePages/siteTitles";
import { asHeading, asParagraph, escaped } from "./escape";
import { encodedPath } from "./markdownPaths";
import type { LlmsTxtOptions } from "./options";

/** A page that `llms.txt` lists. */
export interface ListedPage {
  /** Of the page. */
  readonly path: string;
  /** Of its Markdown. */
  readonly markdown: string;
  /** As the page has it. */
  readonly title: string;
  /** The first heading; empty without one. */
  readonly heading: string;
  /** What the page says of itself; empty if it says nothing. */
  readonly description: string;
  /** Its first sentence; empty without text. */
  readonly sentence: string;
}

/** Longest description in a line, in characters. */
const LONGEST = 300;
/** Parts of titles between which the site's name stands. */
const SEPARATOR = /\s+[|–—·:»-]{1,2}\s+/;

/** The pages in the order of their list: those of a folder after its own page. */
export function pagesInOrder<Page extends Pick<ListedPage, "path">>(pages: readonly Page[]): Page[] {
  const keyOf = ({ path }: Pick<ListedPage, "path">): string => path.replace(/(?:^|(?<=\/))index\.\w+$/, "");
  return [...pages].sort(
    (one, other) => compareTexts(keyOf(one), keyOf(other)) || compareTexts(one.path, other.path),
  );
}

/** The text of `llms.txt`, see https://llmstxt.org. @param pages in their order */
export function llmsText(pages: readonly ListedPage[], options: LlmsTxtOptions): string {
  const titleOf = titlesOf(pages);
  const start = pages.find(({ path }) => /^index\.\w+$/.test(path));
  const title = options.title ?? siteName(pages) ?? (start ? start.heading || start.title : "");
  const summary = options.summary ?? (start ? start.description || start.sentence : "");
  const lines = [`# ${asHeading(inMarkdown(title || "Documentation"))}`, ""];
  if (summary !== "") lines.push(`> ${asParagraph(inMarkdown(summary))}`, "");
  const described = Map.groupBy(pages, (page) => page.description);
  const folderOf = sectionFolders(pages);
  const sections = Map.groupBy(pages, folderOf);
  for (const [folder, own] of [...sections].sort(([one], [other]) => compareTexts(one, other))) {
    const first = own.find(({ path }) => dirname(path) === folder && /(?:^|\/)index\.\w+$/.test(path));
    const heading = folder === "" ? "Pages" : (first && titleOf(first)) || nameOf(folder);
    lines.push(`## ${asHeading(inMarkdown(heading))}`, "");
    for (const page of own) {
      const text = inMarkdown(titleOf(page) || page.path, true);
      // what several pages say of themselves is about the site
      const isOwn = page.description !== "" && described.get(page.description)?.length === 1;
      const about = inMarkdown(isOwn ? page.description : page.sentence);
      lines.push(`- [${text}](${addressOf(page.markdown, options)})${about === "" ? "" : `: ${about}`}`);
    }
    lines.push("");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

/** The address of a file in `llms.txt` and `llms-full.txt`. */
export function addressOf(path: string, { baseUrl }: LlmsTxtOptions): string {
  return `${baseUrl === undefined ? "" : `${baseUrl.replace(/\/+$/, "")}/`}${encodedPath(path)}`;
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  // a small letter goes on: «e.g. this»
  const [sentence = ""] =
    /^.{1,300}?(?:[.!?](?=\s*$|\s+\P{Ll})|[。！？])/su.exec(text.slice(0, 2 * LONGEST)) ?? [];
  return (sentence || text).slice(0, 2 * LONGEST);
}

/** The name that most titles have at their end or beginning. */
function siteName(pages: readonly ListedPage[]): string | undefined {
  const titles = pages.map(({ title }) => title);
  const short = withoutSiteName(titles);
  const changed = titles.find((title) => short(title) !== title);
  if (changed === undefined) return undefined;
  const parts = changed.split(SEPARATOR);
  const name = changed.startsWith(short(changed)) ? parts.at(-1) : parts[0];
  return name?.trim();
}

/** The folder whose section has a page: the first one in which the site has several. */
function sectionFolders(pages: readonly ListedPage[]): (page: ListedPage) => string {
  let depth = 1;
  const folderAt = (path: string): string =>
    dirname(path).split("/").slice(0, depth).join("/").replace(/^\.$/, "");
  while (depth < 4) {
    const folders = new Set(pages.map(({ path }) => folderAt(path)).filter((folder) => folder !== ""));
    const inside = pages.filter(({ path }) => folderAt(path) !== "");
    if (
      folders.size !== 1 ||
      inside.length < 20 ||
      !inside.some(({ path }) => dirname(path).split("/").length > depth)
    ) {
      break;
    }
    depth++;
  }
  return ({ path }) => folderAt(path);
}

/** A folder's name as a heading. */
function nameOf(folder: string): string {
  const name = folder.slice(folder.lastIndexOf("/") + 1).replace(/[-_]+/g, " ");
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** A text of a page as text of a line. */
function inMarkdown(text: string, isInLink = false): string {
  return escaped(oneLine(text), "", { isInLink, isInCell: false });
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= LONGEST) return line;
  return `${line
    .slice(0, LONGEST)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd()}…`;
}
