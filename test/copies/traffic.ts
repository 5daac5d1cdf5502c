/** The bytes that passed a proxy, in both directions. */
export class Traffic {
  bytes = 0;
  requests = 0;
  #waiting: { isReached: () => boolean; wake: () => void }[] = [];

  /** Counts passing bytes. */
  passed(more: { bytes?: number; requests?: number }): void {
    this.bytes += more.bytes ?? 0;
    this.requests += more.requests ?? 0;
    for (const { isReached, wake } of this.#waiting) if (isReached()) wake();
    this.#waiting = this.#waiting.filter(({ isReached }) => !isReached());
  }

  /** Resolves when this number of further bytes has passed. */
  async further(more: { bytes: number } | { requests: number }): Promise<void> {
    const kind = "bytes" in more ? "bytes" : "requests";
    const goal = this[kind] + ("bytes" in more ? more.bytes : more.requests);
    const isReached = (): boolean => this[kind] >= goal;
    if (!isReached()) await new Promise<void>((wake) => this.#waiting.push({ isReached, wake }));
  }
}
