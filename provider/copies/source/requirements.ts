/** The largest bundle that is accepted: a larger one is refused. */
export interface BundleLimits {
  /** Size of the archive, in bytes. @default 2 GiB */
  archiveBytes?: number;
  /**
   * Size of all files together, unpacked, in bytes. With another value than the default, an archive may also unpack to more than 200 times
   * its own size.
   *
   * @default 8 GiB
   */
  unpackedBytes?: number;
  /** Number of files and folders. @default 500000 */
  files?: number;
}

/** Requirements on a bundle before it is published: inputs that several resources share. */
export interface BundleRequirements {
  /** Whether a bundle that loads from other hosts is refused. */
  readonly requireSelfContained: boolean;
  /** The largest bundle that is accepted. */
  readonly limits: Required<BundleLimits>;
}
