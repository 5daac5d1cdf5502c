import type { Fault } from "../../../provider/base/http/retryPolicy.ts";

/** From when until when no link is created, in milliseconds since the beginning. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** `answers`: 503 without `Retry-After`, from a load balancer; `silent`: connections are refused. */
  readonly kind: "answers" | "silent";
}

export interface ServiceOptions {
  /** The requests that pass in each whole minute; others get 429, with the beginning of the next minute as `Retry-After`. */
  readonly perMinute: number;
  readonly outages: readonly Outage[];
  /** This share of all requests fails with a 500, for any endpoint. */
  readonly failedPart: number;
}

const MINUTE_MS = 60_000;

/** A service that creates links: the part of it that decides about the success of a request. */
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

  /** @returns why no link is created; `undefined` when one is */
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
      // the header has whole seconds
      const retryAfterMs = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1_000) * 1_000;
      return { kind: "status", status: 429, retryAfterMs };
    }
    this.#inMinute++;
    if (failedPart > 0 && this.#random() < failedPart) {
      return { kind: "status", status: 500, retryAfterMs: undefined };
    }
    return undefined;
  }
}
