import { formatBytes, transferLine } from "../http/transferLine";
import type { Clock } from "../time/clock";
import type { DownloadError } from "../words/errors";
import type { Reporter } from "../words/reporter";
import { Arrivals } from "./arrivals";
import { InterruptedError, interruptible } from "./interruption";
import type { MintedLink } from "./links";
import { downloadError } from "./notDownloaded";
import type { Part } from "./part";
import type { Bytes } from "./storeAnswer";
import type { OpenAnswer } from "./storeRequest";

/** Least time between two lines of progress, in milliseconds. */
const PROGRESS_INTERVAL_MS = 250;
/** How long what arrives waits for more before it is written, in milliseconds: a kill costs no more than that. */
const WRITE_INTERVAL_MS = 50;

/** Runs while the store is awaited. */
export interface StallWatch {
  begin(): void;
  end(): void;
}

/** What receiving takes from the outside. */
interface ReceiverContext {
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** Puts the bytes of a store's answers behind those that have arrived, no more than were promised or are allowed. */
export class Receiver {
  /** What has arrived will never be wanted. */
  isUseless = false;
  readonly #part: Part;
  readonly #limitBytes: number;
  readonly #context: ReceiverContext;
  readonly #onBytes: () => void;
  /** When the first byte came, and how many came since. */
  #startedAt = 0;
  #moved = 0;
  #shownAt = -Infinity;
  #writtenAt = -Infinity;

  /**
   * @param limitBytes of the whole; larger ones are refused
   * @param onBytes is called whenever some came
   */
  constructor(part: Part, limitBytes: number, context: ReceiverContext, onBytes: () => void) {
    this.#part = part;
    this.#limitBytes = limitBytes;
    this.#context = context;
    this.#onBytes = onBytes;
  }

  /**
   * Receives one answer to its end.
   *
   * @param link by which the store was asked
   * @returns "goes on" when it sent less than all on purpose
   * @throws DownloadError for bytes that are not wanted; InterruptedError for a connection that was cut
   */
  async receive(
    bytes: Bytes,
    { response, host }: OpenAnswer,
    link: MintedLink,
    watch: StallWatch,
  ): Promise<"complete" | "goes on"> {
    const part = this.#part;
    this.#checkSize(bytes.totalBytes ?? 0, host, link);
    if (bytes.endsAnyhow && link.sizeBytes === undefined) {
      throw downloadError(
        part,
        `the store ${host} does not tell how long the bundle is, so that a cut one could not be told from a whole one`,
        "Have the store send a Content-Length.",
      );
    }
    const arrivals = response.body && new Arrivals(response.body);
    if (bytes.from === 0) {
      const { etag, totalBytes } = bytes;
      const { subject } = part;
      await part.begin(
        etag === undefined ? undefined : { subject, etag, ...(totalBytes !== undefined && { totalBytes }) },
      );
    }
    const total = bytes.totalBytes ?? link.sizeBytes;
    for (;;) {
      watch.begin();
      const chunks = await interruptible(async () => arrivals?.take());
      watch.end();
      if (!chunks) break;
      const count = chunks.reduce((sum, { length }) => sum + length, 0);
      this.#checkSize(part.size + count, host, link);
      if (part.size + count > (bytes.until ?? Infinity)) throw this.#tooMuch("more than it promised", host);
      for (const chunk of chunks) {
        await part.append(chunk);
        letGo(chunk);
      }
      this.#came(count, total);
    }
    const end = bytes.totalBytes ?? (bytes.endsAnyhow ? link.sizeBytes : part.size);
    if (part.size === end) return "complete";
    if (part.size === bytes.until) return "goes on"; // it sends less at a time than it was asked for
    throw new InterruptedError(Object.assign(new Error("cut"), { code: "ECONNRESET" }));
  }

  #checkSize(bytes: number, host: string, { sizeBytes = Infinity }: MintedLink): void {
    if (bytes > sizeBytes)
      throw this.#tooMuch(`more than the ${formatBytes(sizeBytes)} that the service promised`, host);
    const limit = this.#limitBytes;
    if (bytes > limit) throw this.#tooMuch(`more than the limit of ${formatBytes(limit)}`, host);
  }

  #tooMuch(what: string, host: string): DownloadError {
    this.isUseless = true;
    return downloadError(
      this.#part,
      `the store ${host} sends ${what}`,
      "If the bundle is meant to be that large, raise limits.archiveBytes; else report this to the service's support.",
    );
  }

  #came(count: number, total: number | undefined): void {
    const { clock, reporter } = this.#context;
    const now = clock.monotonic();
    if (this.#moved === 0) this.#startedAt = now;
    this.#moved += count;
    this.#onBytes();
    if (now - this.#writtenAt >= WRITE_INTERVAL_MS) {
      this.#writtenAt = now;
      this.#part.write();
    }
    if (now - this.#shownAt < PROGRESS_INTERVAL_MS) return;
    this.#shownAt = now;
    reporter.progress(
      transferLine("downloading", this.#part.size, total, now - this.#startedAt, this.#moved),
    );
  }
}

/**
 * Gives back the memory of bytes that nobody needs any more. Node.js makes a buffer of each piece that arrives, and the collector lets
 * some 64 MiB of them wait before it looks.
 */
function letGo({ buffer, byteLength }: Uint8Array): void {
  // one that has others' bytes as well is not ours to give back
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
