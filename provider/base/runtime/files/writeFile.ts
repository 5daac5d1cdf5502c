import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

/** Readable by everyone, as a web server needs it, limited by the user's umask. */
export const FILE_MODE = 0o644;

/** What a file has. */
export interface FileDigest {
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Writes a new file. Does not follow an existing link of that name.
 *
 * @param flush whether to flush the file to disk: for a few large files
 */
export async function writeNewFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { flush }: { flush: boolean },
): Promise<FileDigest> {
  const digest = createHash("sha256");
  let size = 0;
  const file = await open(path, "wx", FILE_MODE);
  try {
    for await (const chunk of content) {
      digest.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    if (flush) await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: digest.digest("hex"), size };
}

/** Copies a file to a new one and flushes it to disk, see {@link writeNewFile}. */
export function copyInto(from: string, to: string, signal: AbortSignal): Promise<FileDigest> {
  return writeNewFile(to, blocksOf(from, signal), { flush: true });
}

/** Opens the file only when the first block is requested: an earlier error would have no handler. */
async function* blocksOf(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: 1 << 20, signal }) as AsyncIterable<Buffer>;
}

/** How many files are read or written at once: enough for all threads of Node.js, and few open files and blocks in memory. */
export const FILES_AT_ONCE = 8;
