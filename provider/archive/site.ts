/** What a bundle may hold at most. */
export interface SiteLimits {
  /** Bytes of all files together, unpacked. */
  readonly unpackedBytes: number;
  /** Files and folders together. */
  readonly files: number;
}

/** A file of the site. */
export interface SiteFile {
  /** Path below the site's own root, with `/`, safe on every system: `guide/index.html`. */
  readonly path: string;
  /** Its size in bytes: what its content has, or the reading fails. */
  readonly size: number;
}

/** Takes the files of a site, one after the other, in the order of the archive. What it made of them counts for nothing until the whole was read. */
export interface SiteSink {
  /** @param content must be read to its end before the next file comes */
  file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Something that a page loads from elsewhere, by itself: a link that a reader follows is not meant. */
export interface ExternalLoad {
  /** Path of the page or style sheet. */
  readonly page: string;
  /** What it loads, without query and fragment; or, in parentheses, why it was not inspected. */
  readonly address: string;
}

/** What was seen of a bundle that was read to its end and may be published. */
export interface Inspection {
  /** Folder of the archive that is the site's own root, where everything is in one; else empty. It is no part of a file's path. */
  readonly root: string;
  readonly files: number;
  /** HTML files, without the site's `404.html`: what a service counts as pages, too. */
  readonly pages: number;
  readonly unpackedBytes: number;
  /** No page, drawing or style sheet loads anything from elsewhere, and each was inspected. */
  readonly selfContained: boolean;
  /** At most {@link MAX_EXTERNAL_LOADS}, the first that were found. */
  readonly externalLoads: readonly ExternalLoad[];
}

/** How many external loads are told. */
export const MAX_EXTERNAL_LOADS = 20;
