import type { LoadKind } from "./loadKinds";

/** An address of another host in a text of the site, or of what was fetched for it. */
export interface AssetReference {
  /** Absolute, without a fragment. */
  readonly url: URL;
  readonly kind: LoadKind;
  /** What the content must be: the attribute `integrity`. */
  readonly integrity?: string | undefined;
  /**
   * Set for a whole address in a custom property (`--x: url(…)`): browsers read a relative one from where the style is that uses the
   * property, not from where it stands.
   */
  readonly property?: { readonly isUsedHere: boolean };
}

/** What a reference is replaced with. */
export interface Replacement {
  /** The address of the stored content, as the text with the reference needs it. */
  readonly address: string;
  /** Set if `integrity` must be another: that of the stored content. */
  readonly integrity?: string | undefined;
}

/** Other hosts whose files are now the copy's own, as far as it is known. */
export interface OwnOrigins {
  /** Files are stored. */
  readonly stored: ReadonlySet<string>;
  /** The content of files stands in styles. */
  readonly inStyles: ReadonlySet<string>;
}

/** What the texts of a site are searched for, and what is put in its place. */
export interface Replacing {
  /** @param base of the text that has the reference @returns undefined to leave it */
  replace(reference: AssetReference, base: TextBase): Replacement | undefined;
  /** Whether a hint to connect to a host early is left out. */
  dropsConnection(url: URL): boolean;
  /** Called for a page with a content security policy. */
  policy?(): OwnOrigins;
  /** Names of modules that a text imports, which an import map translates. */
  named?(specifier: string): void;
  /** A module of the site that a page loads, or that its import map translates a name to: its address as written. */
  own?(module: { readonly address: string; readonly name?: string }): void;
  /** Translations of a prefix of names, of an import map. @returns further names with their addresses */
  prefixed?(prefix: string, url: URL, base: TextBase): ReadonlyMap<string, string>;
  /**
   * Where modules of another host are now, for which an import map has a scope.
   *
   * @param url of a module, or of a folder: with a slash at its end
   */
  scope?(url: URL, base: TextBase): string | undefined;
}

/** How addresses in a text are read. */
export interface TextBase {
  /** The URL of the text: for a file of the site, below `SITE_BASE`. */
  readonly url: string;
  /** What its addresses are relative to, if a `<base>` changes that. */
  readonly href: string;
  /** Whether that is a path from the server's root. */
  readonly isRooted?: boolean;
}

/** Schemes that are fetched. */
const WEB = /^https?:$/;

/**
 * The address of another host that an address refers to. Every address with a host is one, also of the site's own domain; that of a
 * text that was fetched itself is one, too, if it is relative.
 *
 * @param site the host that stands for the site
 */
export function referenceIn(address: string, { href }: TextBase, site: string): URL | undefined {
  const scheme = /^[\0- ]*([a-z][a-z0-9+.\-\t\n\r]*:)/i.exec(address);
  const url = URL.parse(address, scheme === null ? href : undefined);
  if (url === null || !WEB.test(url.protocol) || url.host === site) return undefined;
  url.hash = "";
  return url;
}

/** An address of the site's own files, as written; undefined for another one. */
export function ownAddressIn(address: string, { href }: TextBase, site: string): string | undefined {
  if (/^[\0- ]*[a-z][a-z0-9+.\-\t\n\r]*:/i.test(address)) return undefined;
  return URL.parse(address, href)?.host === site ? address : undefined;
}

/** The fragment of an address, with its `#`. */
export function fragmentOf(address: string): string {
  const at = address.indexOf("#");
  return at < 0 ? "" : address.slice(at).trimEnd();
}

/** A change of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with changes, which do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: next } of edits.toSorted((one, other) => one.start - other.start)) {
    pieces.push(text.slice(at, start), next);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
