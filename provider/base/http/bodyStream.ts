/** Maximum number of buffered bytes before the stream is paused. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Reads a body as it arrives. The bytes are read from the stream at once: if the connection breaks, the bytes in the stream's own
 * buffers are lost.
 *
 * @returns a function that takes all bytes that arrived since its last call, and waits if there are none. At the end of the body
 *   it returns undefined. It throws the error that broke the stream, after all arrived bytes were taken
 */
export function bodyReader(body: NodeJS.ReadableStream): () => Promise<readonly Uint8Array[] | undefined> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let ended: { readonly error?: unknown } | undefined;
  let wake = (): void => undefined;
  const end = (how: { error?: unknown }): void => {
    ended ??= how;
    wake();
  };
  body.on("data", (chunk: Buffer) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes > MAX_WAITING_BYTES) body.pause();
    wake();
  });
  body.on("end", () => end({}));
  body.on("error", (error: unknown) => end({ error }));
  body.on("close", () => end({ error: Object.assign(new Error("closed"), { code: "ECONNRESET" }) }));
  return async () => {
    while (waiting.length === 0) {
      if (ended) {
        if ("error" in ended) throw ended.error;
        return undefined;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const taken = waiting;
    waiting = [];
    waitingBytes = 0;
    if (!ended) body.resume();
    return taken;
  };
}
