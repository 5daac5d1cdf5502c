import { setImmediate } from "node:timers/promises";

/** Work before a yield to the event loop: about 20 ms. One unit is about one character of a tokenizer. */
const WORK_PER_TURN = 256 * 1_024;

/** Work for one entry of an archive: its name and its header. */
export const WORK_PER_ENTRY = 512;

/** Yields to the event loop during long computations, so that signals, timers and other operations can run. */
export class Yielder {
  readonly #signal: AbortSignal;
  #work = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** @throws the signal's reason */
  async take(work: number): Promise<void> {
    this.#work += work;
    if (this.#work < WORK_PER_TURN) return;
    this.#work = 0;
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}
