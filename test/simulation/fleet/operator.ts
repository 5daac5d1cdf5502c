import type { Timeline } from "./timeline.ts";

/**
 * The rules of pulumi-kubernetes-operator 2.9.0 that decide when a stack runs: `cooldown`, `isSynced`, `markStackFailed` and
 * `maxUpdateFailures` of `operator/internal/controller/pulumi/stack_controller.go`, `MaxConcurrentReconciles` of
 * `operator/cmd/main.go`. Written anew in a few lines, without its code.
 */
export interface OperatorOptions {
  /** `MAX_CONCURRENT_RECONCILES`: an update holds one of them until it ends. */
  readonly workers: number;
  /** `resyncFrequencySeconds`, counted from the end of the last update, in milliseconds. */
  readonly resyncMs: number;
  /** How often a CronJob annotates the stacks that are stalled, in milliseconds; `undefined`: never. */
  readonly wakeEveryMs: number | undefined;
}

const MAX_UPDATE_FAILURES = 3;
const COOLDOWN_MS = 10_000;
const COOLDOWN_FACTOR = 3;

/** The operator's record of a stack. */
export interface OperatedStack {
  /**
   * Counted failures in a row. The first one after a success counts; the first one after an annotation does not, as
   * `markStackFailed` compares the request with that of the last update.
   */
  failures: number;
  isStalled: boolean;
  /** The next failure is the first one of a request. */
  isFreshRequest: boolean;
}

export const newStack = (): OperatedStack => ({ failures: 0, isStalled: false, isFreshRequest: true });

/** Runs each stack when it is due, with a limited concurrency. */
export class Operator<Stack extends OperatedStack> {
  /** Updates that began. */
  runs = 0;
  /** The longest time that a due stack waited for a worker, in milliseconds. */
  longestWaitMs = 0;
  readonly #timeline: Timeline;
  readonly #options: OperatorOptions;
  readonly #update: (stack: Stack, ended: (isDone: boolean) => void) => void;
  readonly #waiting: { stack: Stack; sinceMs: number }[] = [];
  #busy = 0;

  /** @param update runs a stack once, and returns whether it succeeded */
  constructor(
    timeline: Timeline,
    options: OperatorOptions,
    update: (stack: Stack, ended: (isDone: boolean) => void) => void,
  ) {
    this.#timeline = timeline;
    this.#options = options;
    this.#update = update;
  }

  /** @param firstMs when each of them is due for the first time */
  start(stacks: readonly Stack[], firstMs: (stack: Stack) => number): void {
    for (const stack of stacks) this.#dueAfter(firstMs(stack), stack);
    const { wakeEveryMs } = this.#options;
    if (wakeEveryMs === undefined) return;
    const wake = (): void => {
      for (const stack of stacks) if (stack.isStalled) this.#annotate(stack);
      this.#timeline.after(wakeEveryMs, wake);
    };
    this.#timeline.after(wakeEveryMs, wake);
  }

  #annotate(stack: Stack): void {
    stack.isStalled = false;
    stack.isFreshRequest = true;
    this.#dueAfter(0, stack);
  }

  #dueAfter(delayMs: number, stack: Stack): void {
    this.#timeline.after(delayMs, () => {
      this.#waiting.push({ stack, sinceMs: this.#timeline.nowMs });
      this.#runWaiting();
    });
  }

  #runWaiting(): void {
    while (this.#busy < this.#options.workers) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#busy++;
      this.runs++;
      this.longestWaitMs = Math.max(this.longestWaitMs, this.#timeline.nowMs - next.sinceMs);
      this.#update(next.stack, (isDone) => {
        this.#busy--;
        this.#ended(next.stack, isDone);
        this.#runWaiting();
      });
    }
  }

  #ended(stack: Stack, isDone: boolean): void {
    if (isDone) {
      stack.failures = 0;
      stack.isFreshRequest = false;
      return this.#dueAfter(this.#options.resyncMs, stack);
    }
    stack.failures = stack.isFreshRequest ? 0 : stack.failures + 1;
    stack.isFreshRequest = false;
    if (stack.failures >= MAX_UPDATE_FAILURES) stack.isStalled = true;
    else this.#dueAfter(COOLDOWN_MS * COOLDOWN_FACTOR ** stack.failures, stack);
  }
}
