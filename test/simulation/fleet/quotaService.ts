import type { Fault } from "../../../provider/http/retryPolicy.ts";

/** From when until when nothing is minted, in milliseconds since the beginning. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** `answers`: 503 without `Retry-After`, from a load balancer; `silent`: connections are refused. */
  readonly kind: "answers" | "silent";
}

export interface ServiceOptions {
  /** Requests that are let through in each whole minute; others get 429, and the begin of the next minute as `Retry-After`. */
  readonly perMinute: number;
  readonly outages: readonly Outage[];
  /** This part of all requests fails with a 500, wherever it would have led. */
  readonly failedPart: number;
}

const MINUTE_MS = 60_000;

/** A service that mints links: as much of it as decides whether a request comes to something. */
export class QuotaService {
  /** Requests that were refused for the quota. */
  refused = 0;
  readonly #options: ServiceOptions;
  readonly #random: () => number;
  #minute = -1;
  #inMinute = 0;

  constructor(options: ServiceOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  /** @returns why nothing is minted; `undefined` when a link is */
  answer(nowMs: number): Fault | undefined {
    const { outages, perMinute, failedPart } = this.#options;
    for (const { fromMs, toMs, kind } of outages) {
      if (nowMs < fromMs || nowMs >= toMs) continue;
      return kind === "silent"
        ? { kind: "unreachable", code: "ECONNREFUSED" }
        : { kind: "status", status: 503, retryAfterMs: undefined };
    }
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#inMinute = 0;
    }
    if (this.#inMinute >= perMinute) {
      this.refused++;
      // the header counts whole seconds
      const retryAfterMs = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1_000) * 1_000;
      return { kind: "status", status: 429, retryAfterMs };
    }
    this.#inMinute++;
    if (failedPart > 0 && this.#random() < failedPart)
      return { kind: "status", status: 500, retryAfterMs: undefined };
    return undefined;
  }
}
