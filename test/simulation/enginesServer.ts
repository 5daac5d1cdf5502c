import { vi } from "vitest";

/** Replaces the HTTP/2 server of Pulumi's dynamic-provider process, over which the engine calls `Cancel`. */
export class EnginesServer {
  readonly #listeners: ((stream: unknown, headers: Record<string, unknown>) => void)[] = [];

  /** Adds it to the handles of this process, until `vi.restoreAllMocks`. */
  constructor() {
    const server = new (class Http2Server {
      on = (_event: "stream", listener: (stream: unknown, headers: Record<string, unknown>) => void): void =>
        void listeners.push(listener);
    })();
    const listeners = this.#listeners;
    vi.spyOn(
      process as unknown as { _getActiveHandles: () => unknown[] },
      "_getActiveHandles",
    ).mockReturnValue([server]);
  }

  /** The effect of Ctrl-C, and the normal end of every operation. */
  cancel(): void {
    for (const listener of this.#listeners) listener({}, { ":path": "/pulumirpc.ResourceProvider/Cancel" });
  }
}
