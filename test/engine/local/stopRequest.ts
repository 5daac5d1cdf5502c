// Why an operation has stopped starting new steps.

export type StopReason =
  /** A step failed. */
  | "failed"
  /** Ctrl-C. */
  | "canceled"
  /** The program, or a resource of it, is wrong: the messages are complete. */
  | "refused";

export class StopRequest {
  #reason: StopReason | undefined;
  #listeners: (() => void)[] = [];

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  get isRequested(): boolean {
    return this.#reason !== undefined;
  }

  /** The first reason counts. */
  request(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
  }

  onRequest(listener: () => void): void {
    if (this.isRequested) listener();
    else this.#listeners.push(listener);
  }
}
