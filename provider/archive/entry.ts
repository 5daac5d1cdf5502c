/** A file or folder in an archive, as its reader gives it: what kinds there are was checked, the name was not. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Bytes of its content, unpacked. */
  readonly size: number;
  /**
   * Its content, which has `size` bytes or fails. What is not read before the next entry is asked for is skipped, and checked
   * nevertheless.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

export const SETUID_PROBLEM = "would run with the rights of its owner (setuid)";

/** @param mode of Unix. Folders inherit the group's bit from the one they were made in */
export function isSetuid(mode: number, kind: ArchiveEntry["kind"]): boolean {
  return (mode & (kind === "file" ? 0o6000 : 0o4000)) !== 0;
}
