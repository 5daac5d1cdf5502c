/** The limits of a bundle. */
export interface SiteLimits {
  /** Size of all files together, unpacked, in bytes. */
  readonly unpackedBytes: number;
  /** Number of files and folders. */
  readonly files: number;
}

/** A file of the site. */
export interface SiteFile {
  /** Path below the site's root, with `/`: `guide/index.html`. Some systems cannot store every path, see {@link Inspection}. */
  readonly path: string;
  /** Size in bytes. Reading content of another size fails. */
  readonly size: number;
}

/** Receives the files of a site in the order of the archive. Its result is valid only after the whole archive was read. */
export interface SiteSink {
  /** @param content must be read completely before the next file */
  file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** A sink that computes digests. */
export interface DigestingSink extends SiteSink {
  /** SHA-256 of each file so far, by its path: hexadecimal digits. */
  digests(): ReadonlyMap<string, string>;
}

/** An external address that a page loads by itself. A link that a reader must follow does not count. */
export interface ExternalLoad {
  /** Path of the first page, style sheet or module that has it. */
  readonly page: string;
  /** The loaded address, without query and fragment; or, in parentheses, why the file was not inspected. */
  readonly address: string;
  /** Number of files that have it. Absent if an earlier version of this package made the copy. */
  readonly pages?: number;
  /** Why it was not fetched. Only with `fetchExternal`. */
  readonly reason?: string;
}

/** The result of inspecting a complete bundle that may be published. */
export interface Inspection {
  /**
   * The site's folder in the archive, if it is not at the top; otherwise empty. Paths of files do not include it.
   */
  readonly root: string;
  /** Files of the archive that are not published: they start the site on a reader's own computer, see `SiteRootFinder`. */
  readonly leftOut: readonly string[];
  /** Number of files that are published, as everything below. */
  readonly files: number;
  /** Number of HTML files, without the site's `404.html`: the service counts pages in the same way. */
  readonly pages: number;
  readonly unpackedBytes: number;
  /** No page, SVG file, style sheet or module loads anything external, and all were inspected. */
  readonly selfContained: boolean;
  /** External loads, each address once, at most {@link MAX_EXTERNAL_LOADS}: one of each host before a second one of the same host. */
  readonly externalLoads: readonly ExternalLoad[];
  /** Folders of version control in the archive. They are not published. */
  readonly versionControl: readonly string[];
  /** Published files that usually hold secrets. */
  readonly secretFiles: readonly string[];
  /** Published files that do nothing for readers here. */
  readonly idleFiles: IdleFiles;
  /** Published paths that programs on Windows cannot unpack. */
  readonly notOnWindows: readonly string[];
  /** Published names that a file system may refuse or confuse, by their folder, see `foreignNames`. */
  readonly doubtfulNames: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
  /** The same for a folder. */
  readonly hasFolder: (path: string) => boolean;
}

/** Files of a site that do nothing for its readers here. They are published like others. */
export interface IdleFiles {
  /** Instructions for another host: no web server here follows them. */
  readonly ofHosts: readonly string[];
  /** Folders with data of the generator. */
  readonly ofGenerators: readonly string[];
}

/** How many external loads are reported. */
export const MAX_EXTERNAL_LOADS = 20;
