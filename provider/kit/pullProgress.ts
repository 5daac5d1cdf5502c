import { transferLine } from "../http/transferLine";
import type { Blob } from "../registry/blobs";
import type { Clock } from "../time/clock";
import type { Reporter } from "../words/reporter";

/** How long a line stands at least, in milliseconds. */
const PACE_MS = 250;

/** Tells how far the layers of an image are that are pulled at the same time. */
export class PullProgress {
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #verb: string;
  readonly #totalBytes: number;
  readonly #beganMs: number;
  #shownMs = -Infinity;
  /** By digest, how many bytes of it are there. */
  readonly #doneBytes = new Map<string, number>();

  /**
   * @param verb begins each line: `pulling nginx:1.30`
   * @param layers all that are pulled, each once
   */
  constructor(
    { clock, reporter }: { clock: Clock; reporter: Reporter },
    verb: string,
    layers: readonly Blob[],
  ) {
    this.#clock = clock;
    this.#reporter = reporter;
    this.#verb = verb;
    this.#totalBytes = layers.reduce((total, { size }) => total + size, 0);
    this.#beganMs = clock.monotonic();
  }

  /** How many bytes of a layer are there by now. */
  moved(digest: string, bytes: number): void {
    this.#doneBytes.set(digest, bytes);
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#shownMs < PACE_MS) return;
    this.#shownMs = nowMs;
    const done = [...this.#doneBytes.values()].reduce((total, each) => total + each, 0);
    this.#reporter.progress(transferLine(this.#verb, done, this.#totalBytes, nowMs - this.#beganMs));
  }
}
