/** A file or folder in an archive, as its reader returns it. Its kind is checked, its name is not. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Size of its content, unpacked, in bytes. */
  readonly size: number;
  /**
   * Its content, which has `size` bytes or fails. The reader skips and verifies what is unread when the next entry is
   * requested.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The problem of an entry for which {@link isSetuid} is true. */
export const SETUID_PROBLEM = "would run with the rights of its owner (setuid)";

/** @param mode Unix mode. Folders may have the setgid bit, which they inherit from their parent */
export function isSetuid(mode: number, kind: ArchiveEntry["kind"]): boolean {
  return (mode & (kind === "file" ? 0o6000 : 0o4000)) !== 0;
}
