/** Version of the index and of the search box. Increase it with every change of their content. */
export const SEARCH_VERSION = "5";

/** Options of the search that a copy of a site contains. */
export interface SearchOptions {
  /** Show a small search button on each page. @default true */
  button?: boolean;
  /** Open the search with `/` and with Ctrl-K or Command-K. @default true */
  shortcuts?: boolean;
  /**
   * CSS selectors of elements of the site that open the search, besides the search boxes of Mintlify, Docusaurus, VitePress, MkDocs
   * and Sphinx, which always do.
   *
   * @default []
   */
  openFrom?: readonly string[];
  /**
   * Patterns of the paths of pages that the search leaves out, such as `v1/**`. `*` matches a part of a name, `**` any path.
   *
   * @default []
   */
  exclude?: readonly string[];
  /** Also find pages that ask search engines to leave them out: `<meta name="robots" content="noindex">`. @default false */
  includeNoindex?: boolean;
}

/** A search that is wanted: `true` for one with all defaults. */
export type OfflineSearch = true | SearchOptions;
