/** Limits the concurrency of work that needs memory or threads. Further work waits in a queue. */
export class Semaphore {
  #free: number;
  /** Waiting work, in order of arrival. */
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs the work as soon as a slot is free.
   *
   * @param onWait called if the work has to wait
   * @throws the work's error; the signal's reason while it waits
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
