/** The limits of a bundle. */
export interface SiteLimits {
  /** Size of all files together, unpacked, in bytes. */
  readonly unpackedBytes: number;
  /** Number of files and folders. */
  readonly files: number;
}

/** A file of the site. */
export interface SiteFile {
  /** Path below the site's root, with `/`: `guide/index.html`. Some systems cannot store every path, see `notOnWindows` of `Inspection`. */
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

/** Content for a sink: `for await` reads a list, too. */
export function asContent(...parts: readonly Buffer[]): AsyncIterable<Uint8Array> {
  return parts.values() as unknown as AsyncIterable<Uint8Array>;
}
