import { type HttpReply, Interruption, type NetworkContext } from "../../base/http/attempt";
import { WORTH_BYTES } from "../../base/http/retries";
import { TOO_FEW_BYTES } from "../../base/http/retryPolicy";
import { DownloadError } from "../../base/runtime/messages/errors";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import { transferLine } from "../../base/runtime/messages/transferLine";
import type { PartialDownload } from "./partialDownload";
import type { ReceivedRange } from "./storeReply";

/** Minimum time between two lines of progress, in milliseconds. */
const PROGRESS_INTERVAL_MS = 250;
/** How long received bytes are collected before they are written, in milliseconds. A killed run loses only these bytes. */
const WRITE_INTERVAL_MS = 50;

const RAISE_LIMIT =
  "If the bundle is meant to be that large, raise limits.archiveBytes; else report this to the service's support.";
const REPORT = "Report this to the service's support.";
const WRONG_SIZE = `Either sizeBytes in the service's reply is wrong, or the link leads to another file, or the store decompresses the bundle. ${REPORT}`;

/**
 * Appends the bytes of a store's replies to the partial download, up to the promised or allowed number.
 *
 * @param limitBytes of the whole bundle; larger ones are refused
 * @param onBytes gets the number of bytes whenever some arrived
 */
export function receiverOf(
  partial: PartialDownload,
  limitBytes: number,
  { clock, reporter }: Pick<NetworkContext, "clock" | "reporter">,
  onBytes: (count: number) => void,
) {
  /** When the first byte arrived, and how many bytes arrived since. */
  let startedAt = 0;
  let moved = 0;
  let shownAt = -Infinity;
  let writtenAt = -Infinity;

  const received = (count: number, total: number | undefined): void => {
    const now = clock.monotonic();
    if (moved === 0) startedAt = now;
    moved += count;
    onBytes(count);
    if (now - writtenAt >= WRITE_INTERVAL_MS) {
      writtenAt = now;
      partial.write();
    }
    if (now - shownAt < PROGRESS_INTERVAL_MS) return;
    shownAt = now;
    reporter.progress(transferLine("downloading", partial.size, total, now - startedAt, moved));
  };

  /**
   * Receives one reply to its end.
   *
   * @param promisedBytes size of the whole bundle, if the service reports it
   * @returns "incomplete" when the store deliberately sent only a part
   * @throws DownloadError for unwanted bytes; Interruption for a lost connection
   */
  return async (
    { from, until, totalBytes, etag, endIsUnknown }: ReceivedRange,
    reply: HttpReply,
    host: string,
    promisedBytes?: number,
  ): Promise<"complete" | "incomplete"> => {
    const tooMuch = (what: string, remedy: string): DownloadError => {
      partial.isUseless = true;
      return new DownloadError(`the store ${host} sends more than ${what}`, remedy);
    };
    const checkSize = (bytes: number): void => {
      if (promisedBytes !== undefined && bytes > promisedBytes) {
        throw tooMuch(`the ${formatBytes(promisedBytes)} that the service promised`, WRONG_SIZE);
      }
      if (bytes > limitBytes) throw tooMuch(`the limit of ${formatBytes(limitBytes)}`, RAISE_LIMIT);
    };
    checkSize(totalBytes ?? 0);
    if (endIsUnknown && promisedBytes === undefined) {
      throw new DownloadError(
        `the store ${host} does not send the length of the bundle, so a truncated bundle could not be detected`,
        "Have the store send a Content-Length.",
      );
    }
    const { subject } = partial;
    if (from === 0) await partial.begin(etag === undefined ? undefined : { subject, etag, totalBytes });
    for await (const piece of reply.content()) {
      const count = piece.length;
      checkSize(partial.size + count);
      if (partial.size + count > (until ?? Infinity)) throw tooMuch("it promised", REPORT);
      await partial.append(piece);
      releaseBody(piece);
      received(count, totalBytes ?? promisedBytes);
    }
    const end = totalBytes ?? (endIsUnknown ? promisedBytes : partial.size);
    if (partial.size === end) return "complete";
    const isWhole = partial.size === until; // the store sends smaller ranges than requested
    if (isWhole && partial.size - from >= WORTH_BYTES) return "incomplete";
    throw new Interruption({ code: isWhole ? TOO_FEW_BYTES : "ECONNRESET" });
  };
}

/**
 * Releases the memory of bytes that are no longer used. Node.js allocates a buffer for each received chunk, and the garbage
 * collector lets about 64 MiB of them accumulate before it runs.
 */
function releaseBody({ buffer, byteLength }: Uint8Array): void {
  // a buffer shared with other bytes is not ours to release
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
