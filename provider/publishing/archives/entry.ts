import { entryRefusal, REFUSAL_REMEDIES, type Remedy, UNSAFE } from "./refusal";

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

/** Why a kind of entry is refused. */
export type OtherKind = readonly [problem: string, remedy: Remedy];

/** Kinds of entries that no site has. */
export const OTHER_KINDS: Readonly<Record<"link" | "device" | "fifo" | "socket" | "sparse", OtherKind>> = {
  link: ["is a symbolic link", REFUSAL_REMEDIES.symbolicLink],
  device: ["is a device", REFUSAL_REMEDIES.special],
  fifo: ["is a fifo", REFUSAL_REMEDIES.special],
  socket: ["is a socket", REFUSAL_REMEDIES.special],
  sparse: ["is a sparse file", REFUSAL_REMEDIES.sparse],
};

/** Refuses an entry that no site has. @param mode Unix mode. @throws BundleRefusedError */
export function checkEntry({ name, kind, size }: Omit<ArchiveEntry, "content">, mode: number): void {
  if (kind === "folder" && size > 0) throw entryRefusal(name, "is a folder with content", UNSAFE);
  // folders may have the setgid bit, which they inherit from their parent
  if ((mode & (kind === "file" ? 0o6000 : 0o4000)) !== 0) {
    throw entryRefusal(
      name,
      "would run with the rights of its owner (setuid)",
      REFUSAL_REMEDIES.ownersRights,
    );
  }
}
