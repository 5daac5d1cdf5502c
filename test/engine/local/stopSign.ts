// Why an operation starts nothing new, once it does so.

export class StopSign {
  #reason: string | undefined;
  #listeners: (() => void)[] = [];

  get reason(): string | undefined {
    return this.#reason;
  }

  get isUp(): boolean {
    return this.#reason !== undefined;
  }

  /** The first reason counts. */
  raise(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
  }

  onRaise(listener: () => void): void {
    if (this.isUp) listener();
    else this.#listeners.push(listener);
  }
}
