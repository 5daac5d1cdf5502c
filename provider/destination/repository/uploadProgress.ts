import { transferLine } from "../../http/transferLine";
import type { Blob } from "../../registry/blobs";
import type { Clock } from "../../time/clock";
import type { Reporter } from "../../words/reporter";

/** How long a line stands at least, in milliseconds. */
const PACE_MS = 250;

/** Tells how far the blobs of one copy are. */
export class UploadProgress {
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #totalBytes: number;
  readonly #beganMs: number;
  #shownMs = -Infinity;
  /** Bytes of blobs that are there. */
  #doneBytes = 0;
  /** Bytes that went over the network. */
  #movedBytes = 0;

  /** @param blobs all that the copy needs */
  constructor({ clock, reporter }: { clock: Clock; reporter: Reporter }, blobs: readonly Blob[]) {
    this.#clock = clock;
    this.#reporter = reporter;
    this.#totalBytes = blobs.reduce((total, { size }) => total + size, 0);
    this.#beganMs = clock.monotonic();
  }

  /** How many bytes of the present blob are there by now. */
  readonly moved = (bytes: number): void => {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#shownMs < PACE_MS) return;
    this.#shownMs = nowMs;
    const done = this.#doneBytes + bytes;
    this.#reporter.progress(
      transferLine("uploading", done, this.#totalBytes, nowMs - this.#beganMs, this.#movedBytes + bytes),
    );
  };

  /** The present blob is there. */
  finished({ size }: Blob, wasSent: boolean): void {
    this.#doneBytes += size;
    if (wasSent) this.#movedBytes += size;
  }
}
