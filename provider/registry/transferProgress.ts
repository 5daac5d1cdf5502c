import { transferLine } from "../http/transferLine";
import type { Blob } from "./blobs";
import type { RegistryContext } from "./exchange";

/** How long a line stands at least, in milliseconds. */
const PACE_MS = 250;

/** Tells how far the blobs of an image are, also of several at the same time. */
export class TransferProgress {
  readonly #context: Pick<RegistryContext, "clock" | "reporter">;
  readonly #verb: string;
  readonly #totalBytes: number;
  readonly #beganMs: number;
  #shownMs = -Infinity;
  /** By digest, how many bytes of it are there. */
  readonly #doneBytes = new Map<string, number>();
  /** Of them, those that were there before. */
  #foundBytes = 0;

  /**
   * @param verb begins each line: `pulling nginx:1.30`
   * @param blobs all that are transferred, each once
   */
  constructor(context: Pick<RegistryContext, "clock" | "reporter">, verb: string, blobs: readonly Blob[]) {
    this.#context = context;
    this.#verb = verb;
    this.#totalBytes = blobs.reduce((total, { size }) => total + size, 0);
    this.#beganMs = context.clock.monotonic();
  }

  /** How many bytes of a blob are there by now. */
  moved({ digest }: Blob, bytes: number): void {
    this.#doneBytes.set(digest, bytes);
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - this.#shownMs < PACE_MS) return;
    this.#shownMs = nowMs;
    const done = [...this.#doneBytes.values()].reduce((total, each) => total + each, 0);
    const elapsedMs = nowMs - this.#beganMs;
    const line = transferLine(this.#verb, done, this.#totalBytes, elapsedMs, done - this.#foundBytes);
    this.#context.reporter.progress(line);
  }

  /** A blob was there already. */
  found({ digest, size }: Blob): void {
    this.#doneBytes.set(digest, size);
    this.#foundBytes += size;
  }
}
