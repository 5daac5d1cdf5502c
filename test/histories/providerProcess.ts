import { getEventListeners } from "node:events";
import type { Fetch } from "../../provider/base/http/attempt.ts";
import { RunCancelledError } from "../../provider/base/runtime/messages/errors.ts";
import type { Clock } from "../../provider/base/runtime/time/clock.ts";
import type { Context } from "../../provider/resource/context.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import type { SimulatedService } from "../simulation/simulatedService.ts";
import { testContext, URN } from "../simulation/testContext.ts";
import type { VirtualClock } from "../simulation/virtualClock.ts";

/** Faults of a process that do not come from the service. */
export type Interruption =
  /** It dies when it sends its n-th request, which the service processes or not. */
  | { kind: "kill at request"; number: number; processed: boolean }
  | { kind: "kill after"; ms: number }
  | { kind: "Ctrl-C at request"; number: number }
  | { kind: "Ctrl-C after"; ms: number };

/** The environment of a process. */
export interface Surroundings {
  readonly clock: VirtualClock;
  readonly service: SimulatedService;
  readonly records: Context["resumeRecords"];
  /** Time from a request's arrival at the service to its reply. */
  readonly latencyMs: number;
  /** Called before each request is sent. */
  readonly onRequest?: (number: number) => void;
}

const killed = Symbol("killed");

/**
 * The provider process of one operation. After it is killed, nothing in it happens any more: its pending promises never settle.
 */
export class ProviderProcess {
  readonly context: Context;
  readonly reporter = recordingReporter();
  /** Jobs that the service started for this process, and whether it got their ids. */
  readonly started: { jobId: string; answered: boolean }[] = [];
  /** Jobs whose failure this process has read. */
  readonly toldToHaveFailed = new Set<string>();
  cancelledAtMs: number | undefined;
  readonly #surroundings: Surroundings;
  readonly #interruption: Interruption | undefined;
  readonly #stop = new AbortController();
  readonly #timers = new Set<() => void>();
  readonly #death: Promise<typeof killed>;
  #die: () => void = () => undefined;
  #alive = true;
  #requests = 0;

  constructor(surroundings: Surroundings, interruption?: Interruption) {
    this.#surroundings = surroundings;
    this.#interruption = interruption;
    this.#death = new Promise((resolve) => {
      this.#die = () => resolve(killed);
    });
    const { service, records } = surroundings;
    this.context = testContext({
      configuration: configurationOf(service),
      fetch: this.#fetch,
      clock: this.#clock,
      reporter: this.reporter,
      resumeRecords: records,
      urn: URN,
      signal: this.#stop.signal,
    });
  }

  /** @returns the result of the work, or `undefined` when the process died before */
  async run<T>(work: (context: Context) => Promise<T>): Promise<{ value: T } | undefined> {
    const { clock } = this.#surroundings;
    const interruption = this.#interruption;
    let stop = (): void => undefined;
    if (interruption?.kind === "kill after") stop = clock.after(interruption.ms, () => this.#kill());
    if (interruption?.kind === "Ctrl-C after") stop = clock.after(interruption.ms, () => this.#cancel());
    try {
      const result = await clock.run(Promise.race([work(this.context), this.#death]));
      return result === killed ? undefined : { value: result };
    } finally {
      stop();
    }
  }

  /** Timers and abort listeners that were never removed. */
  get leftovers(): number {
    return this.#timers.size + getEventListeners(this.#stop.signal, "abort").length;
  }

  #kill(): void {
    this.#alive = false;
    for (const stop of this.#timers) stop();
    this.#timers.clear();
    this.#die();
  }

  #cancel(): void {
    this.cancelledAtMs ??= this.#surroundings.clock.monotonic();
    this.#stop.abort(new RunCancelledError("the run was cancelled", ""));
  }

  get #clock(): Clock {
    const { clock } = this.#surroundings;
    const after: Clock["after"] = (delayMs, callback) => {
      if (!this.#alive) return () => undefined;
      const stop = clock.after(delayMs, () => {
        this.#timers.delete(stop);
        callback();
      });
      this.#timers.add(stop);
      return () => {
        this.#timers.delete(stop);
        stop();
      };
    };
    return { now: clock.now, monotonic: clock.monotonic, random: clock.random, after };
  }

  readonly #fetch: Fetch = async (url, init) => {
    const { service, latencyMs, onRequest } = this.#surroundings;
    const never = new Promise<never>(() => undefined);
    const interruption = this.#interruption;
    if (!this.#alive) return never;
    onRequest?.(++this.#requests);
    const isDue =
      interruption !== undefined &&
      "number" in interruption &&
      interruption.number === this.#requests &&
      interruption;
    if (isDue && isDue.kind === "kill at request") {
      if (isDue.processed) this.#send(url, init).catch(() => undefined);
      this.#kill();
      return never;
    }
    const before = service.started;
    const reply = this.#send(url, init);
    reply.catch(() => undefined); // an abort may come first
    if (isDue) this.#cancel();
    await this.#delay(latencyMs, init.signal as AbortSignal);
    const response = await reply;
    if (response.ok) {
      const body = await response.arrayBuffer();
      this.#noteReply(new URL(url).pathname, new TextDecoder().decode(body), before);
    }
    return response;
  };

  #send(...[url, init]: Parameters<Fetch>): ReturnType<Fetch> {
    const { service } = this.#surroundings;
    const before = service.started;
    const reply = service.fetch(url, init);
    if (service.started > before) this.started.push({ jobId: `job-${service.started}`, answered: false });
    return reply;
  }

  #noteReply(path: string, text: string, startedBefore: number): void {
    const last = this.started.at(-1);
    if (this.#surroundings.service.started > startedBefore && last && text.includes(`"${last.jobId}"`)) {
      last.answered = true;
    }
    const jobId = /\/jobs\/([^/]+)$/.exec(path)?.[1];
    if (jobId !== undefined && text.includes('"status":"failed"')) this.toldToHaveFailed.add(jobId);
  }

  #delay(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0 && !signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        stop();
        reject(Object.assign(new Error("The operation was aborted."), { name: "AbortError" }));
      };
      const stop = this.#clock.after(ms, () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}

export function configurationOf(service: SimulatedService): Context["configuration"] {
  return {
    environment: (name) =>
      name === "DOCS_HOSTING_BASE_URL" ? service.baseUrl : name.endsWith("_KEY") ? service.key : undefined,
    stackConfig: () => undefined,
  };
}
