import { REMEDIES, type Remedy, UNSAFE } from "./refusal";

/** A file or folder in an archive, as its reader returns it. Its kind is checked, its name is not. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Size of its content, unpacked, in bytes. */
  readonly size: number;
  /** Only of a hard link, which has no content of its own: the name of the entry that it is a copy of. */
  readonly linkTo?: string;
  /**
   * Its content, which has `size` bytes or fails. The reader skips and verifies what is unread when the next entry is
   * requested.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The problem of an entry that no site has, if any, and its remedy. @param mode Unix mode */
export function entryProblem(
  kind: ArchiveEntry["kind"],
  size: number,
  mode: number,
): readonly [problem: string, remedy: Remedy] | undefined {
  if (kind === "folder" && size > 0) return ["is a folder with content", UNSAFE];
  // folders may have the setgid bit, which they inherit from their parent
  const isSetuid = (mode & (kind === "file" ? 0o6000 : 0o4000)) !== 0;
  return isSetuid ? ["would run with the rights of its owner (setuid)", REMEDIES.ownersRights] : undefined;
}
