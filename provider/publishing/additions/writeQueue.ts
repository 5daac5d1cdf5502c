/** Most files, and most bytes of them, that are read and not yet written. */
const MOST_FILES = 64;
const MOST_BYTES = 4 * 2 ** 20;

/** Writes files one after the other, in the order in which they came, while later ones are still read. */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly #done: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #files = 0;
  #bytes = 0;

  /** Whether everything is written. */
  get isEmpty(): boolean {
    return this.#files === 0;
  }

  /**
   * Adds a file. Returns as soon as another one may be read.
   *
   * @param bytes that are kept until then
   * @param write writes it, when all before it are written
   * @throws the error of a file before it
   */
  async add(bytes: number, write: () => Promise<void>): Promise<void> {
    this.#files++;
    this.#bytes += bytes;
    this.#last = this.#last.then(async () => {
      try {
        if (this.#failure === undefined) await write();
      } catch (error) {
        this.#failure = { error };
      }
      this.#files--;
      this.#bytes -= bytes;
    });
    this.#done.push(this.#last);
    while (this.#done.length > MOST_FILES || (this.#bytes > MOST_BYTES && this.#done.length > 0)) {
      await this.#done.shift();
    }
    this.#throwFailure();
  }

  /** Waits until everything is written. @throws the error of a file */
  async flush(): Promise<void> {
    await this.#last;
    this.#throwFailure();
  }

  /** Writes nothing more, and waits for the file that is being written. */
  async stop(): Promise<void> {
    this.#failure ??= { error: new Error("the site is no longer written") };
    await this.#last;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
