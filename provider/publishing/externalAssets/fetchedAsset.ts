/** A file that was fetched from another host. */
export interface FetchedAsset {
  /** Where it was fetched from, without its query. */
  readonly address: string;
  /** SHA-256 of what was fetched, hexadecimal. */
  readonly sha256: string;
  /** Size of what was fetched, in bytes. */
  readonly bytes: number;
  /** Where the copy has it, below the site's root. */
  readonly path: string;
}
