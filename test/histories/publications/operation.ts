import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { Clock } from "../../../provider/base/runtime/time/clock.ts";
import type { Fault, FaultKind } from "./faults.ts";

/** A longer delay is a limit, which no history reaches, in milliseconds. */
const LONGEST_PAUSE_MS = 5_000;
/** The same at a store with faults, where pauses grow. */
const LONGEST_FAULTY_PAUSE_MS = 25_000;
/** The limit of a connection, see `base/http`. */
const CONNECT_LIMIT_MS = 10_000;
/** How much time a pause takes on this slow machine, in milliseconds: a look at an owner who never ends is repeated thrice. */
const PAUSE_MS = 20_000;
/** The same at a store with faults. */
const FAULTY_PAUSE_MS = 40_000;

const killed = Symbol("killed");

/** A step that waits until it may happen. */
interface Waiting {
  readonly isPause: boolean;
  readonly begin: () => void;
}

/**
 * One run of the provider, step by step: a step is a call of the file system or a request. A killed run's next step never begins,
 * so nothing of the run happens any more.
 */
export class Operation {
  static readonly #current = new AsyncLocalStorage<Operation>();

  /** The operation whose code is running. */
  static get current(): Operation | undefined {
    return Operation.#current.getStore();
  }

  /** Identifies the operation. */
  readonly id = randomUUID();
  /** The drafts of the operation, which a killed process would not own any more. */
  readonly drafts = new Set<string>();
  /** The files that it has opened: the end of a process closes them. */
  readonly handles = new Set<FileHandle>();
  readonly #killAt: number | undefined;
  readonly #fault: Fault | undefined;
  /** Somebody puts a link in the way. */
  putLink: ((path: string) => void) | undefined;
  /** Whether a step had its fault. */
  hadFault = false;
  readonly #waiting: Waiting[] = [];
  readonly #death: Promise<typeof killed>;
  #die: () => void = () => undefined;
  #arrived: () => void = () => undefined;
  #steps = 0;
  #elapsedMs = 0;
  #isTogether = false;
  #isOver = false;

  readonly #startMs: number;

  /** @param killAt the step that does not begin any more */
  constructor(startMs: number, killAt?: number, fault?: Fault) {
    this.#startMs = startMs;
    this.#killAt = killAt;
    this.#fault = fault;
    this.#death = new Promise((resolve) => {
      this.#die = () => resolve(killed);
    });
  }

  /** Runs alone. @returns `undefined` if it was killed */
  async run<T>(work: () => Promise<T>): Promise<{ value: T } | undefined> {
    const running = Operation.#current.run(this, work);
    running.catch(() => undefined);
    try {
      const result = await Promise.race([running, this.#death]);
      return result === killed ? undefined : { value: result };
    } finally {
      this.#isOver = true;
      this.#arrived();
    }
  }

  /** Waits until the next step may begin. @returns the fault that the step has */
  async step(): Promise<FaultKind | undefined> {
    const number = this.#steps++;
    await this.#begin(number);
    if (!this.#fault) return undefined;
    const { kind, from, steps } = this.#fault;
    return number >= from && number < from + steps ? kind : undefined;
  }

  #begin(number: number): Promise<void> {
    if (this.#killAt !== undefined && number >= this.#killAt) {
      this.#isOver = true;
      this.#die();
      this.#arrived();
      for (const each of this.handles) each.close().catch(() => undefined);
      return new Promise<never>(() => undefined);
    }
    return this.#isTogether
      ? new Promise((begin) => this.#wait({ isPause: false, begin }))
      : Promise.resolve();
  }

  readonly clock: Clock = {
    now: () => this.#startMs + this.#elapsedMs,
    monotonic: () => this.#elapsedMs,
    // the longest pause is not the limit of a connection
    random: () => (this.#fault ? 0.4 : 0.5),
    after: (delayMs, callback) => {
      const isPause = this.#fault
        ? delayMs <= LONGEST_FAULTY_PAUSE_MS && delayMs !== CONNECT_LIMIT_MS
        : delayMs <= LONGEST_PAUSE_MS;
      if (!isPause) return () => undefined;
      let isStopped = false;
      const begin = (): void => {
        if (isStopped || this.#isOver) return;
        this.#elapsedMs += this.#fault ? FAULTY_PAUSE_MS : PAUSE_MS;
        callback();
      };
      if (this.#isTogether) this.#wait({ isPause: true, begin });
      else setImmediate(begin);
      return () => {
        isStopped = true;
      };
    },
  };

  /** Runs operations at the same time: `choose` says which of them makes the next step. Time passes when only pauses are left. */
  static async together(
    operations: readonly Operation[],
    run: (operation: Operation) => Promise<void>,
    choose: () => number,
  ): Promise<void> {
    for (const each of operations) each.#isTogether = true;
    const running = Promise.all(operations.map((each) => run(each)));
    for (;;) {
      const live = operations.filter((each) => !each.#isOver);
      if (live.length === 0) break;
      for (const each of live) await each.#arrival();
      const ready = operations.filter((each) => !each.#isOver && each.#waiting.length > 0);
      const awake = ready.filter((each) => each.#waiting.some(({ isPause }) => !isPause));
      const from = awake.length > 0 ? awake : ready;
      const chosen = from[choose() % from.length];
      if (chosen) chosen.#next();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await running;
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#arrived();
  }

  #next(): void {
    const index = this.#waiting.findIndex(({ isPause }) => !isPause);
    const [next] = this.#waiting.splice(Math.max(index, 0), 1);
    next?.begin();
  }

  /** The operation waits for a step, or is over. */
  #arrival(): Promise<void> {
    if (this.#isOver || this.#waiting.length > 0) return Promise.resolve();
    return new Promise((resolve) => (this.#arrived = resolve));
  }
}
