import { Header } from "tar";

export interface ArchiveEntry {
  path: string;
  /** @default "File" */
  type?: "File" | "SymbolicLink";
  linkpath?: string;
}

const BLOCK_BYTES = 512;
const CONTENT = Buffer.from("<!doctype html><title>Not the site</title>\n");

/** A tar archive with any entries, also those that no honest tool writes. */
export function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = "File", linkpath }) => {
    const content = type === "File" ? CONTENT : Buffer.alloc(0);
    const header = new Header({ path, type, mode: 0o644, size: content.length, mtime: new Date(0) });
    if (linkpath !== undefined) header.linkpath = linkpath;
    header.encode();
    const padding = (BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES;
    return [header.block ?? Buffer.alloc(0), content, Buffer.alloc(padding)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}
