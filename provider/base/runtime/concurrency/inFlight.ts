/**
 * Work that is not finished. A set of promises that changes for each of many items is not a substitute: the versions of its table
 * are linked, so that all finished items stay in memory until the next full garbage collection.
 */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];
  #failure: { readonly error: unknown } | undefined;

  get count(): number {
    return this.#count;
  }

  /** Counts work until it has ended. */
  add(work: Promise<void>): void {
    this.#count++;
    void work.catch(this.fail).then(() => {
      this.#count--;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    });
  }

  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
  };

  /** Throws the first failure, so that nothing more is begun after it. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves as soon as any of the work has ended. */
  oneEnds(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when all work has ended. */
  async allEnd(): Promise<void> {
    while (this.#count > 0) await this.oneEnds();
  }
}
