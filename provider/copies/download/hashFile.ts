import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { diskFailure } from "../../runtime/files/diskFailure";
import { formatBytes } from "../../runtime/messages/formatBytes";
import { unlessAborted } from "../../runtime/time/clock";
import { DownloadError } from "../../runtime/messages/errors";

/** How many bytes are read at a time. */
const BLOCK_BYTES = 1024 * 1024;

/**
 * Hashes a bundle that is a local file.
 *
 * @param limitBytes larger files are refused
 * @returns its SHA-256 in hexadecimal digits, and its size in bytes
 * @throws DownloadError when it is not a file or too large; DestinationError when it cannot be read; the signal's reason,
 *   immediately
 */
export async function hashFile(
  path: string,
  { limitBytes }: { readonly limitBytes: number },
  { signal }: { readonly signal: AbortSignal },
): Promise<{ sha256: string; size: number }> {
  signal.throwIfAborted();
  try {
    return await unlessAborted(hashOf(path, limitBytes, signal), signal);
  } catch (error) {
    throw diskFailure(error, path, signal, { kind: "file" });
  }
}

async function hashOf(
  path: string,
  limitBytes: number,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number }> {
  // opening a pipe without a writer would block
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile())
      throw new DownloadError(`${path} is not a file`, "Give the path of the archive itself.");
    const hash = createHash("sha256");
    let size = 0;
    const blocks = file.createReadStream({ highWaterMark: BLOCK_BYTES, autoClose: false });
    for await (const block of blocks as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      hash.update(block);
      size += block.length;
      if (Math.max(size, stats.size) > limitBytes) {
        throw new DownloadError(
          `${path} has more than the limit of ${formatBytes(limitBytes)}`,
          "If it is meant to be that large, raise limits.archiveBytes.",
        );
      }
    }
    return { sha256: hash.digest("hex"), size };
  } finally {
    await file.close();
  }
}
