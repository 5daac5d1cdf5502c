import type { Clock } from "../../base/runtime/time/clock";
import { formatDuration } from "../../base/runtime/time/duration";

/** From this number of operations at once on, each resource has one line, and the lines of the round say how far all are. */
const FLEET = 2;
/** How many resources a line names: as many as fit on it. */
const NAMED = 5;
/** The time after which a line says how many run, in milliseconds. It doubles with each such line. */
const STILL_RUNNING_MS = 60_000;
/** Longest such time, in milliseconds: a longer silence looks as if the run were stuck. */
const STILL_RUNNING_MAX_MS = 5 * 60_000;

/** After so long a pause, operations are another fleet, in milliseconds: on a busy machine, some begin when others have ended. */
const PAUSE_MS = 30_000;

/** The operations of a time in which at least one is always running, or soon again, such as the exports of a fleet. */
export class Round {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #say: (line: string) => void;
  /** The resources whose operations run: two operations may have the same name. */
  readonly #running: string[] = [];
  #most = 0;
  #done = 0;
  #failed: string[] = [];
  #startedAt = 0;
  #endedAt = -Infinity;
  #cancelTimer = (): void => undefined;

  /** @param say receives the lines of a fleet */
  constructor(clock: Pick<Clock, "monotonic" | "after">, say: (line: string) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  /** Whether several operations run at once, or did in this round. */
  get isFleet(): boolean {
    return this.#most >= FLEET;
  }

  /** @param urn the resource of an operation that begins */
  began(urn: string | undefined): void {
    if (this.#running.length === 0) {
      const nowMs = this.#clock.monotonic();
      const isAnother = !this.isFleet || nowMs - this.#endedAt > PAUSE_MS;
      if (isAnother) [this.#most, this.#done, this.#failed, this.#startedAt] = [0, 0, [], nowMs];
      this.#reportAfter(STILL_RUNNING_MS);
    }
    this.#running.push(nameOf(urn));
    this.#most = Math.max(this.#most, this.#running.length);
  }

  /** The last operation of a fleet says the line that sums up. */
  ended(urn: string | undefined, isDone: boolean): void {
    const name = nameOf(urn);
    this.#running.splice(this.#running.indexOf(name), 1);
    if (isDone) this.#done++;
    else this.#failed.push(name);
    if (this.#running.length > 0) return;
    this.#cancelTimer();
    this.#endedAt = this.#clock.monotonic();
    if (!this.isFleet) return;
    const all = this.#done + this.#failed.length;
    this.#say(`${all} resources in ${this.#elapsed()}: ${this.#counts()}`);
  }

  #reportAfter(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      const running = `${this.#running.length} running${named(this.#running)}`;
      if (this.isFleet) this.#say(`after ${this.#elapsed()}: ${this.#counts()}, ${running}`);
      this.#reportAfter(Math.min(2 * delayMs, STILL_RUNNING_MAX_MS));
    });
  }

  #counts(): string {
    const failed = `, ${this.#failed.length} failed${named(this.#failed)}`;
    return `${this.#done} done${this.#failed.length === 0 ? "" : failed}`;
  }

  #elapsed(): string {
    return formatDuration(this.#clock.monotonic() - this.#startedAt);
  }
}

function nameOf(urn: string | undefined): string {
  return urn?.split("::").at(-1) ?? "a resource";
}

function named(names: readonly string[]): string {
  return ` (${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ", …" : ""})`;
}
