import type { Token } from "parse5";
import { encodingOf } from "../sitePages/pageEncoding";
import { PageReader } from "../sitePages/pageText";
import { keptPage, type ReadPage } from "../sitePages/readPage";
import { ContentTree } from "./contentTree";
import { firstSentence } from "./llmsText";
import { prepared } from "./prepareContent";
import { MarkdownWriter } from "./writeMarkdown";

/** What a page is read as: for the search and for Markdown, at once. */
export interface MarkdownPage {
  readonly page: ReadPage;
  /** Of the content, see {@link MarkdownWriter}. */
  readonly markdown: string;
  /** Whether the content has a heading of the first level. */
  readonly hasTitle: boolean;
  readonly description: string;
  /** The first one of its text. */
  readonly sentence: string;
  /** The address of `<base href>`. */
  readonly base: string | undefined;
  /** Where `</head>` begins, in bytes; undefined if the page has none, or if it cannot be told. */
  readonly headEnd: number | undefined;
}

/** Reads a page once. */
export function readMarkdown(buffer: Buffer): MarkdownPage {
  const encoding = encodingOf(buffer);
  const text = new TextDecoder(encoding).decode(buffer);
  const tree = new ContentTree();
  let headEnd: number | undefined;
  const reader = new PageReader({
    startTag: (token: Token.TagToken, isForeign: boolean) => tree.startTag(token, isForeign),
    endTag(token: Token.TagToken, offset: number) {
      if (token.tagName === "head") headEnd ??= offset;
      tree.endTag(token);
    },
    text: (characters) => tree.text(characters),
  });
  reader.write(text);
  const found = reader.end();
  const { content } = tree;
  const writer = new MarkdownWriter(prepared(content), tree.hasMathInTexts);
  const markdown = writer.blocks(content);
  const { hasTitle } = writer;
  const { description, base } = tree;
  return {
    page: keptPage(found, encoding),
    markdown,
    hasTitle,
    description,
    sentence: firstSentence(found.sections.find(({ text }) => text !== "")?.text ?? ""),
    base,
    headEnd: bytesBefore(buffer, text, headEnd, encoding),
  };
}

/** The place of `</head>` in bytes. What the encoding does not tell for certain is not told. */
function bytesBefore(
  bytes: Buffer,
  text: string,
  offset: number | undefined,
  encoding: string,
): number | undefined {
  if (offset === undefined) return undefined;
  const at = text.lastIndexOf("</", offset);
  if (at < 0) return undefined;
  const mark = bytes.length >= 3 && bytes.toString("latin1", 0, 3) === "\xef\xbb\xbf" ? 3 : 0;
  const place = encoding === "utf-8" ? mark + Buffer.byteLength(text.slice(0, at)) : at;
  return /^<\/head[\s/>]/i.test(bytes.toString("latin1", place, place + 7)) ? place : undefined;
}
