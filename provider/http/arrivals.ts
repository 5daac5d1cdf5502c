/** How much waits to be taken at most before the sender is held back, in bytes. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * The bytes of a body, as they arrive. They are taken off the stream at once: what still stands in its own buffers when the
 * connection breaks is lost.
 */
export class Arrivals {
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake = (): void => undefined;
  readonly #body: NodeJS.ReadableStream;

  constructor(body: NodeJS.ReadableStream) {
    this.#body = body;
    body.on("data", (chunk: Buffer) => {
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
      if (this.#waitingBytes > MOST_WAITING_BYTES) body.pause();
      this.#wake();
    });
    const end = (how: { error?: unknown }): void => {
      this.#end ??= how;
      this.#wake();
    };
    body.on("end", () => end({}));
    body.on("error", (error: unknown) => end({ error }));
    body.on("close", () => end({ error: Object.assign(new Error("closed"), { code: "ECONNRESET" }) }));
  }

  /**
   * All that has arrived since the last time; what arrives next, when that is nothing.
   *
   * @returns undefined at the end of the body
   * @throws what broke it, after all that had arrived was taken
   */
  async take(): Promise<readonly Uint8Array[] | undefined> {
    while (this.#waiting.length === 0) {
      if (this.#end) {
        if ("error" in this.#end) throw this.#end.error;
        return undefined;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (!this.#end) this.#body.resume();
    return taken;
  }
}
