/** The events of virtual time by their moments: a heap, as a week of a fleet has millions of such moments. */
export class Timeline {
  /** Milliseconds since the beginning. */
  nowMs = 0;
  readonly #times: number[] = [];
  readonly #orders: number[] = [];
  readonly #events: (() => void)[] = [];
  #order = 0;

  /** Of two events at the same moment, the one that was added first happens first. */
  after(delayMs: number, event: () => void): void {
    this.#siftUp(this.nowMs + delayMs, this.#order++, event);
  }

  /** Runs all events until then. */
  runUntil(endMs: number): void {
    for (;;) {
      const [time] = this.#times;
      if (time === undefined || time > endMs) break;
      const event = this.#takeFirst();
      this.nowMs = time;
      event();
    }
    this.nowMs = endMs;
  }

  #isBefore(time: number, order: number, index: number): boolean {
    const other = this.#times[index] ?? Infinity;
    return time < other || (time === other && order < (this.#orders[index] ?? 0));
  }

  #put(index: number, time: number, order: number, event: () => void): void {
    this.#times[index] = time;
    this.#orders[index] = order;
    this.#events[index] = event;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] ?? 0, this.#orders[from] ?? 0, this.#events[from] ?? nothing);
  }

  #siftUp(time: number, order: number, event: () => void): void {
    let index = this.#times.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(time, order, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#put(index, time, order, event);
  }

  #takeFirst(): () => void {
    const [first = nothing] = this.#events;
    const time = this.#times.pop() ?? 0;
    const order = this.#orders.pop() ?? 0;
    const event = this.#events.pop() ?? nothing;
    const { length } = this.#times;
    if (length === 0) return first;
    let index = 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      if (left >= length) break;
      const isRight = this.#isBefore(this.#times[right] ?? Infinity, this.#orders[right] ?? 0, left);
      const child = isRight ? right : left;
      if (this.#isBefore(time, order, child)) break;
      this.#move(child, index);
      index = child;
    }
    this.#put(index, time, order, event);
    return first;
  }
}

const nothing = (): void => undefined;
