import { readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";

/** The Markdown of a page, with addresses as the page has them. */
export function markdownOf(html: string): string {
  return readMarkdown(Buffer.from(html)).markdown.replaceAll("\0", "");
}

export const MATHJAX = '<script src="https://cdn.example.com/mathjax@3/tex.js"></script>';
