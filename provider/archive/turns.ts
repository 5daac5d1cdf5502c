import { setImmediate } from "node:timers/promises";

/** Work after which others have their turn: some 20 ms. One unit is about a character that a tokenizer reads. */
const WORK_PER_TURN = 256 * 1_024;

/** Of one entry of an archive: its name and its header. */
export const WORK_PER_ENTRY = 512;

/** Lets the event loop go on during long work without input or output, so that signals, timers and other operations are heard. */
export class Turns {
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
