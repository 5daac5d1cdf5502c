import { stat } from "node:fs/promises";
import { DownloadError } from "../messages/errors";
import { formatBytes } from "../messages/formatBytes";
import { unlessAborted } from "../time/clock";
import { diskFailure } from "./diskFailure";
import { digestFile } from "./listing";

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
  const checkSize = (size: number): void => {
    if (size <= limitBytes) return;
    throw new DownloadError(
      `${path} has more than the limit of ${formatBytes(limitBytes)}`,
      "If it is meant to be that large, raise limits.archiveBytes.",
    );
  };
  signal.throwIfAborted();
  try {
    const stats = await unlessAborted(stat(path), signal);
    // opening a pipe without a writer would block
    if (!stats.isFile()) {
      throw new DownloadError(`${path} is not a file`, "Give the path of the archive itself.");
    }
    checkSize(stats.size);
    const hashed = await unlessAborted(digestFile(path, signal), signal);
    checkSize(hashed.size); // of a file that has more than the system says
    return hashed;
  } catch (error) {
    throw diskFailure(error, path, signal, { kind: "file" });
  }
}
