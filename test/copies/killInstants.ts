import { setTimeout as delay } from "node:timers/promises";
import type { Run } from "./killedUpload.ts";
import type { Traffic } from "./traffic.ts";

/** The time and traffic of an undisturbed run. */
export interface WholeRun {
  readonly bytes: number;
  readonly requests: number;
  readonly sentMs: number;
}

/** Measures an undisturbed run. */
export async function measureRun(traffic: Traffic, run: () => Promise<Run>): Promise<Run & WholeRun> {
  const { bytes, requests } = traffic;
  const whole = await run();
  return { ...whole, bytes: traffic.bytes - bytes, requests: traffic.requests - requests };
}

/**
 * Random instants at which runs are killed. Most are after a share of the bytes that killed runs left over, so that they come in
 * time on a machine of any speed; the others are at a request, or at a time, which may be after the end.
 */
export class KillInstants {
  readonly #random: () => number;
  readonly #traffic: Traffic;
  readonly #whole: WholeRun;
  #copyBeganAt = 0;

  constructor(random: () => number, traffic: Traffic, whole: WholeRun) {
    this.#random = random;
    this.#traffic = traffic;
    this.#whole = whole;
  }

  /** The following runs make another copy. */
  beginCopy(): void {
    this.#copyBeganAt = this.#traffic.bytes;
  }

  /** The next instant, see `killAt` of `runUpload`. */
  readonly next = async (begun: Promise<void>): Promise<void> => {
    const [traffic, whole] = [this.#traffic, this.#whole];
    const [kind, place, afterMs] = [this.#random(), this.#random(), this.#random() * 5];
    if (kind < 0.7) {
      const left = this.#copyBeganAt + whole.bytes - traffic.bytes;
      await Promise.all([begun, traffic.further({ bytes: place * left })]);
    } else if (kind < 0.85) {
      await traffic.further({ requests: Math.ceil(place * whole.requests) });
    } else {
      await begun.then(() => delay(place * whole.sentMs));
    }
    await delay(afterMs);
  };
}

/**
 * The kills of a test. Some come too late: a run does not send again what was sent before. So the test goes on until enough runs
 * were interrupted, however few kills are wanted.
 */
export class KillCount {
  kills = 0;
  interrupted = 0;
  readonly #wanted: number;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** Counts a run that was to be killed. */
  add({ done }: Run): void {
    this.kills++;
    if (done === undefined) this.interrupted++;
  }

  /** @throws Error if hardly any kill comes in time */
  areEnough(): boolean {
    if (this.kills >= 10 * this.#wanted + 10) {
      throw new Error(`${this.interrupted} of ${this.kills} kills came before the end of a run`);
    }
    return this.kills >= this.#wanted && this.interrupted > this.#wanted / 8;
  }
}
