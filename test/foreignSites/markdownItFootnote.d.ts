// The package brings no types.
declare module "markdown-it-footnote" {
  import type MarkdownIt from "markdown-it";

  /** Reads footnotes: `[^1]` and `[^1]: text`. */
  export default function footnote(markdown: MarkdownIt): void;
}
