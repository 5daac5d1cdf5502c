import { type HttpReply, Interruption, type NetworkContext } from "../../http/attempt";
import { WORTH_BYTES } from "../../http/retries";
import { TOO_FEW_BYTES } from "../../http/retryPolicy";
import { formatBytes } from "../../runtime/messages/formatBytes";
import { transferLine } from "../../runtime/messages/transferLine";
import { DownloadError } from "../../runtime/messages/errors";
import type { PartialDownload } from "./partialDownload";
import type { ReceivedRange } from "./storeAnswer";

/** Minimum time between two lines of progress, in milliseconds. */
const PROGRESS_INTERVAL_MS = 250;
/** How long received bytes are collected before they are written, in milliseconds. A killed run loses only these bytes. */
const WRITE_INTERVAL_MS = 50;

type ReceiverContext = Pick<NetworkContext, "clock" | "reporter">;

/** Appends the bytes of a store's responses to the partial download, up to the promised or allowed number. */
export class Receiver {
  readonly #partial: PartialDownload;
  readonly #limitBytes: number;
  readonly #context: ReceiverContext;
  readonly #onBytes: (count: number) => void;
  /** When the first byte arrived, and how many bytes arrived since. */
  #startedAt = 0;
  #moved = 0;
  #shownAt = -Infinity;
  #writtenAt = -Infinity;

  /**
   * @param limitBytes of the whole bundle; larger ones are refused
   * @param onBytes gets the number of bytes whenever some arrived
   */
  constructor(
    partial: PartialDownload,
    limitBytes: number,
    context: ReceiverContext,
    onBytes: (count: number) => void,
  ) {
    this.#partial = partial;
    this.#limitBytes = limitBytes;
    this.#context = context;
    this.#onBytes = onBytes;
  }

  /**
   * Receives one response to its end.
   *
   * @param promisedBytes size of the whole bundle, if the service reports it
   * @returns "incomplete" when the store deliberately sent only a part
   * @throws DownloadError for unwanted bytes; Interruption for a lost connection
   */
  async receive(
    bytes: ReceivedRange,
    reply: HttpReply,
    host: string,
    promisedBytes: number | undefined,
  ): Promise<"complete" | "incomplete"> {
    const partial = this.#partial;
    this.#checkSize(bytes.totalBytes ?? 0, host, promisedBytes);
    if (bytes.endIsUnknown && promisedBytes === undefined) {
      throw new DownloadError(
        `the store ${host} does not send the length of the bundle, so a truncated bundle could not be detected`,
        "Have the store send a Content-Length.",
      );
    }
    if (bytes.from === 0) {
      const { etag, totalBytes } = bytes;
      await partial.begin(etag === undefined ? undefined : { subject: partial.subject, etag, totalBytes });
    }
    const total = bytes.totalBytes ?? promisedBytes;
    for await (const piece of reply.content()) {
      const count = piece.length;
      this.#checkSize(partial.size + count, host, promisedBytes);
      if (partial.size + count > (bytes.until ?? Infinity))
        throw this.#tooMuch("more than it promised", host);
      await partial.append(piece);
      releaseBody(piece);
      this.#received(count, total);
    }
    const end = bytes.totalBytes ?? (bytes.endIsUnknown ? promisedBytes : partial.size);
    if (partial.size === end) return "complete";
    const isWhole = partial.size === bytes.until; // the store sends smaller ranges than requested
    if (isWhole && partial.size - bytes.from >= WORTH_BYTES) return "incomplete";
    throw new Interruption({ code: isWhole ? TOO_FEW_BYTES : "ECONNRESET" });
  }

  #checkSize(bytes: number, host: string, promisedBytes = Infinity): void {
    if (bytes > promisedBytes)
      throw this.#tooMuch(`more than the ${formatBytes(promisedBytes)} that the service promised`, host);
    const limit = this.#limitBytes;
    if (bytes > limit) throw this.#tooMuch(`more than the limit of ${formatBytes(limit)}`, host);
  }

  #tooMuch(what: string, host: string): DownloadError {
    this.#partial.isUseless = true;
    return new DownloadError(
      `the store ${host} sends ${what}`,
      "If the bundle is meant to be that large, raise limits.archiveBytes; else report this to the service's support.",
    );
  }

  #received(count: number, total: number | undefined): void {
    const { clock, reporter } = this.#context;
    const now = clock.monotonic();
    if (this.#moved === 0) this.#startedAt = now;
    this.#moved += count;
    this.#onBytes(count);
    if (now - this.#writtenAt >= WRITE_INTERVAL_MS) {
      this.#writtenAt = now;
      this.#partial.write();
    }
    if (now - this.#shownAt < PROGRESS_INTERVAL_MS) return;
    this.#shownAt = now;
    reporter.progress(
      transferLine("downloading", this.#partial.size, total, now - this.#startedAt, this.#moved),
    );
  }
}

/**
 * Releases the memory of bytes that are no longer used. Node.js allocates a buffer for each received chunk, and the garbage
 * collector lets about 64 MiB of them accumulate before it runs.
 */
function releaseBody({ buffer, byteLength }: Uint8Array): void {
  // a buffer shared with other bytes is not ours to release
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
