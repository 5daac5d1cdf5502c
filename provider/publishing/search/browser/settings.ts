/** What `load.js` of a site is written with. */
export interface Settings {
  readonly button: boolean;
  readonly shortcuts: boolean;
  /** CSS selectors of elements that open the search. */
  readonly openFrom: readonly string[];
  /** Names of the search box's script and style sheet. */
  readonly box: string;
  readonly style: string;
  /** For each language of the site, the key of its directory. */
  readonly languages: readonly (readonly [language: string, key: string])[];
  /** What the button is called, by the languages of the site. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What the scripts of the search have in common on a page. */
declare global {
  interface Window {
    docsHostingSearchSettings: Settings;
    /** Data files that were loaded: each adds its key and its content. */
    docsHostingSearch?: { push(entry: readonly [key: string, content: unknown]): unknown };
    /** The texts of the box, by the languages of the site. With them, the box's script is written. */
    docsHostingSearchTexts: Readonly<Record<string, readonly string[]>>;
    /** Names a script of the search as browsers with Trusted Types ask for it. */
    docsHostingSearchScript?: ((src: string) => string) | undefined;
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL(src: string): string },
      ): { createScriptURL(src: string): string };
    };
    /** Opens the box, once it is loaded. */
    docsHostingSearchOpen?: ((query: string) => void) | undefined;
  }
}
