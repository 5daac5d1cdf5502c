/** Maximum number of buffered bytes before the stream is paused. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * The bytes of a body, as they arrive. They are read from the stream at once: if the connection breaks, the bytes in the
 * stream's own buffers are lost.
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
      if (this.#waitingBytes > MAX_WAITING_BYTES) body.pause();
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
   * All bytes that arrived since the last call. If there are none, it waits for the next ones.
   *
   * @returns undefined at the end of the body
   * @throws the error that broke the stream, after all arrived bytes were taken
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
