/** Version of the Markdown and of `llms.txt`. Increase it with every change of their content. */
export const LLMS_VERSION = "2";

/** Options of the Markdown that a copy of a site contains. */
export interface LlmsTxtOptions {
  /** The heading of `llms.txt`. @default the name that most titles of pages have, or the title of the start page */
  title?: string;
  /** The summary below it. @default the description of the start page */
  summary?: string;
  /**
   * The address of the site, such as `https://docs.example.com/`. The links of `llms.txt` and `llms-full.txt` begin with it.
   *
   * @default the links are relative
   */
  baseUrl?: string;
  /**
   * Patterns of the paths of pages that get no Markdown and no line, such as `v1/**`. `*` matches a part of a name, `**` any path.
   *
   * @default []
   */
  exclude?: readonly string[];
  /** Also write `llms-full.txt`: the Markdown of all pages, in their order, up to 16 MiB. @default false */
  full?: boolean;
}

/** Markdown that is wanted: `true` for all defaults. */
export type LlmsTxt = true | LlmsTxtOptions;
