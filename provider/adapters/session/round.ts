import { formatDuration } from "../../base/runtime/time/duration";

/** From this number of operations at once on, each prints one line, and a last one sums up: about a screen of lines stays readable. */
const FLEET = 4;
/** How many failed resources the last line names: as many as fit on a line. */
const NAMED = 5;

/** The operations of a time in which at least one is always running, such as the exports of a fleet. */
export class Round {
  #running = 0;
  #most = 0;
  #done = 0;
  #failed: string[] = [];
  #startedAt = 0;

  /** Whether many operations run at once. */
  get isFleet(): boolean {
    return this.#most >= FLEET;
  }

  /** @param now time of the clock, in milliseconds */
  began(now: number): void {
    if (this.#running === 0) {
      [this.#most, this.#done, this.#failed, this.#startedAt] = [0, 0, [], now];
    }
    this.#running++;
    this.#most = Math.max(this.#most, this.#running);
  }

  /** @returns after the last operation of a fleet, the line that sums up */
  ended(urn: string | undefined, isDone: boolean, now: number): string | undefined {
    this.#running--;
    if (isDone) this.#done++;
    else this.#failed.push(urn?.split("::").at(-1) ?? "a resource");
    if (this.#running > 0 || !this.isFleet) return undefined;
    const all = this.#done + this.#failed.length;
    const inAll = `${all} resources in ${formatDuration(now - this.#startedAt)}: ${this.#done} done`;
    if (this.#failed.length === 0) return inAll;
    const more = this.#failed.length > NAMED ? ", …" : "";
    return `${inAll}, ${this.#failed.length} failed (${this.#failed.slice(0, NAMED).join(", ")}${more})`;
  }
}
