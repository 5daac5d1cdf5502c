/** Places for work that costs memory or threads: so much of it at once, the rest waits its turn. */
export class Slots {
  #free: number;
  /** Those that wait, in the order in which they came. */
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Does a work as soon as a place is free.
   *
   * @param onWait is called when it has to wait
   * @throws what the work throws; the signal's reason while it waits
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal, onWait: () => void): Promise<T> {
    if (this.#free > 0) this.#free--;
    else {
      onWait();
      await this.#turn(signal);
    }
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      this.#queue.push(go);
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }
}
