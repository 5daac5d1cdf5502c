import { readFile } from "node:fs/promises";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { anchorHeadings, type Heading } from "./anchors.ts";
import { readFrontMatter } from "./frontMatter.ts";
import { elementsOf, type Fragment, parseFragment, textOf } from "./htmlTree.ts";
import { sanitize } from "./sanitize.ts";

/** One Markdown file as a tree of clean HTML, with unresolved links. */
export interface MarkdownPage {
  readonly tree: Fragment;
  readonly headings: readonly Heading[];
  /** Every identifier that a link may lead to. */
  readonly anchors: ReadonlySet<string>;
  /** The front matter's `title`, or the first level-one heading. */
  readonly title: string | undefined;
  /** One sentence or two for search engines: the front matter's `description`, or the first paragraph. */
  readonly description: string;
  /** The front matter's `order`: the position of the page in the navigation. */
  readonly order: number | undefined;
  /** Names of the elements that were removed, because a self-contained site cannot have them. */
  readonly removedElements: readonly string[];
}

/** Characters. Search engines cut descriptions at about this length. */
const DESCRIPTION_LENGTH = 160;

/** Characters. A shorter paragraph ("Table of contents") describes nothing. */
const SHORTEST_DESCRIPTION = 40;

const markdown = new MarkdownIt({ html: true, linkify: true });
// otherwise "README.md" in a sentence becomes a link to a host in Moldova
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/**
 * @param path in the folder `root`
 * @throws when the file cannot be read, or yields no page; the message begins with its path
 */
export async function readMarkdownPage(root: string, path: string): Promise<MarkdownPage> {
  const source = await readFile(join(root, path), "utf8");
  try {
    return parseMarkdownPage(source);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function parseMarkdownPage(source: string): MarkdownPage {
  const { fields, body } = readFrontMatter(source);
  const tree = parseFragment(markdown.render(body));
  const removedElements = sanitize(tree);
  const { headings, anchors } = anchorHeadings(tree);
  return {
    tree,
    headings,
    anchors,
    title: fields["title"] ?? headings.find(({ level, text }) => level === 1 && text !== "")?.text,
    description: fields["description"] ?? firstParagraph(tree),
    order: /^\d+$/.test(fields["order"] ?? "") ? Number(fields["order"]) : undefined,
    removedElements,
  };
}

function firstParagraph(tree: Fragment): string {
  const paragraphs = elementsOf(tree).filter(({ tagName }) => tagName === "p");
  const texts = paragraphs.map((paragraph) => textOf(paragraph).replace(/\s+/g, " ").trim());
  const text = texts.find(({ length }) => length >= SHORTEST_DESCRIPTION) ?? "";
  if (text.length <= DESCRIPTION_LENGTH) return text;
  return `${text.slice(0, DESCRIPTION_LENGTH).replace(/\s+\S*$/, "")}…`;
}
