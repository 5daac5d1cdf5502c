import { createHash } from "node:crypto";
import type { Clock } from "../runtime/time/clock";
import { Pacer } from "./pacer";

/** The pacers of one process: one for each service and key. */
export class Pacers {
  readonly #clock: Clock;
  /** By a digest, so that no key is stored. */
  readonly #byDigest = new Map<string, Pacer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(baseUrl: string, key: string): Pacer {
    const digest = createHash("sha256").update(`${baseUrl}\n${key}`).digest("hex");
    const known = this.#byDigest.get(digest);
    if (known) return known;
    const pacer = new Pacer(this.#clock);
    this.#byDigest.set(digest, pacer);
    return pacer;
  }
}
