import { lookup } from "node:dns";
import { connect } from "node:net";
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { Pacers } from "../../base/http/pacer";
import { homeFolder } from "../../base/runtime/files/homeFolder";
import { RunCancelledError } from "../../base/runtime/messages/errors";
import { type Reporter, withoutSecrets } from "../../base/runtime/messages/reporter";
import type { Secrets } from "../../base/runtime/messages/secrets";
import { type Machine, machineOf, systemClock } from "../../base/runtime/time/clock";
import { type Tracing, tracingTo } from "../../base/runtime/tracing/tracer";
import type { PublicationContext } from "../../copies/publication/context";
import type { Declaration } from "../../resource/lifeCycle";
import { ResumeFolder } from "../../resource/resumeRecords";
import type { ConfigurationSource } from "../../service/configuration";
import { JobsSeen } from "../../service/jobsSeen";
import type { Publications } from "./publications";
import { Round } from "./round";
import type { RowReporter } from "./rowReporter";

/** The parts of the process that a session uses. */
export interface Host extends Pick<PublicationContext, "fetch" | "lookup" | "clock" | "machine"> {
  /** Environment variables, read on each access. */
  readonly environment: (name: string) => string | undefined;
  /**
   * A row of the CLI.
   *
   * @param urn the resource, if known
   * @param isOneOfMany whether several operations run now
   */
  reporter(urn: string | undefined, isOneOfMany?: () => boolean): RowReporter;
  /** Calls back when the user stops the run, and at its normal end. Watching twice has no effect. */
  watchForCancel(onCancel: () => void): void;
  /** Calls back once when the engine has ended and can receive no reply. Called once for each session. */
  watchEngine(onGone: () => void): void;
  readonly exit: () => void;
  readonly tracing: Tracing;
}

/** The URN of a resource, and its URN in the state if that is another one. */
export type Urns = Pick<PublicationContext, "urn" | "formerUrn">;

/** The resource and the span of an engine's call. */
export interface CallOf extends Urns {
  /** The span of the call, see `TracedOperation`. */
  readonly traceParent?: string | undefined;
}

/** Time limit for operations to end after the engine has ended, in milliseconds. */
const ENGINE_GONE_LIMIT_MS = 10_000;

/** State that all operations of one process share: configuration, resume records, operations in flight, and cancellation. */
export class Session {
  /** Started jobs that the state may not have yet. */
  readonly resumeRecords: ResumeFolder;
  readonly #host: Host;
  /** What operations on copies and kits share, too. */
  readonly #shared: Publications;
  /** Shared, so that a refusal by the service slows down all operations. */
  readonly #pacers: Pacers;
  readonly #jobsSeen = new JobsSeen();
  #settings: Omit<ConfigurationSource, "secrets">;
  /** Operations that Ctrl-C stops. */
  readonly #running = new Set<AbortController>();
  readonly #round: Round;
  /** The error for a call that arrives after Ctrl-C. */
  #cancelled: RunCancelledError | undefined;
  /**
   * Whether Ctrl-C interrupted an operation. After a second Ctrl-C, Pulumi stores none of the results that were returned after
   * the first.
   */
  #wasInterrupted = false;
  #isEngineWatched = false;
  #isEngineGone = false;

  constructor(host: Host, shared: Publications) {
    this.#host = host;
    this.#shared = shared;
    this.#settings = { environment: host.environment, stackConfig: () => undefined };
    this.#pacers = new Pacers(host.clock);
    this.#round = new Round(host.clock, (line) => host.reporter(undefined).info(line));
    this.resumeRecords = new ResumeFolder(() => homeFolder(host.environment, "resume"), host.clock);
  }

  /** The settings that one call reads. @param secrets receives the secret values among them */
  configuration(secrets: Secrets): ConfigurationSource {
    return { ...this.#settings, secrets };
  }

  get machine(): Machine {
    return machineOf(this.#host);
  }

  /**
   * The engine's first call. From now on Ctrl-C is detected during any operation.
   *
   * @param settings where settings are read from. Default: also the environment variables of the process
   */
  configure(settings: Pick<ConfigurationSource, "stackConfig"> & Partial<ConfigurationSource>): void {
    this.#settings = { environment: this.#host.environment, ...settings };
    this.#host.tracing.listen();
    this.#watch();
  }

  /** A resource that the running program declares, see `resource/declaredPlaces.ts`. */
  declaration(urn: string): Declaration {
    return { urn, declare: (places) => this.#shared.declaredPlaces.declare(urn, places) };
  }

  /** The row of a resource, for a short call. @param urn the resource, if known */
  reporter(urn: string | undefined, secrets: Secrets): Reporter {
    return withoutSecrets(this.#host.reporter(urn), secrets);
  }

  /**
   * Runs a long operation, with progress on the resource's row. Ctrl-C stops it.
   *
   * @param name the operation: "create"
   * @param of the resource's URN, if known, its URN in the state if it was renamed, and the span that the call belongs to
   * @param secrets receives the secret values that the operation reads; no line and no span contains them
   */
  async operation<T>(
    name: string,
    { traceParent, ...urns }: CallOf,
    secrets: Secrets,
    run: (context: PublicationContext) => Promise<T>,
  ): Promise<T> {
    this.#watch();
    const stop = new AbortController();
    const { urn } = urns;
    const row = this.#host.reporter(urn, () => this.#round.isFleet);
    const reporter = withoutSecrets(row, secrets);
    let isDone = false;
    // the others are short, and say nothing of a resource that is one of many
    const isCounted = name === "create" || name === "update";
    if (isCounted) this.#round.began(urn);
    this.#running.add(stop);
    if (this.#cancelled) {
      stop.abort(this.#cancelled);
      this.#wasInterrupted = true;
    }
    try {
      const debug = (line: string): void => reporter.debug(line);
      const result = await this.#host.tracing.operation(
        { name, urn, debug, secrets, traceParent },
        (tracer) =>
          run({
            ...this.#host,
            ...this.#shared,
            configuration: this.configuration(secrets),
            pacers: this.#pacers,
            jobsSeen: this.#jobsSeen,
            reporter,
            tracer,
            secrets,
            resumeRecords: this.resumeRecords,
            ...urns,
            runningOperations: () => this.#running.size,
            signal: stop.signal,
          }),
      );
      isDone = true;
      return result;
    } finally {
      this.#running.delete(stop);
      this.#exitIfEngineGone();
      row.close(isDone);
      if (isCounted) this.#round.ended(urn, isDone);
    }
  }

  #watch(): void {
    this.#host.watchForCancel(this.#onCancel);
    if (!this.#isEngineWatched) this.#host.watchEngine(this.#onEngineGone);
    this.#isEngineWatched = true;
  }

  /** The engine can store no more results: jobs stay in the resume records, and the process exits after its operations. */
  readonly #onEngineGone = (): void => {
    const { clock, exit } = this.#host;
    this.#isEngineGone = true;
    this.#cancelled = new RunCancelledError("Pulumi ended before the operation", "");
    for (const stop of this.#running) stop.abort(this.#cancelled);
    clock.after(ENGINE_GONE_LIMIT_MS, exit);
    this.#exitIfEngineGone();
  };

  #exitIfEngineGone(): void {
    if (this.#isEngineGone && this.#running.size === 0) this.#host.exit();
  }

  /** Also called at the normal end of every operation of the engine. After that, this process gets no more calls. */
  readonly #onCancel = (): void => {
    this.#cancelled = new RunCancelledError("the run was cancelled", "");
    this.#wasInterrupted ||= this.#running.size > 0;
    for (const stop of this.#running) stop.abort(this.#cancelled);
    this.#shared.declaredPlaces.operationEnded();
    if (this.#wasInterrupted) return;
    this.resumeRecords.operationEnded();
    this.#shared.publicationRecords.operationEnded();
  };
}

/** The parts of a host that do not depend on the adapter. */
export const thisProcess: Omit<Host, "reporter" | "watchForCancel" | "watchEngine"> = {
  fetch: nodeFetch,
  lookup,
  clock: systemClock,
  machine: hostname(),
  environment: (name) => process.env[name],
  exit: () => process.exit(1),
  tracing: tracingTo(process.env["PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT"], async (endpoint) => {
    const { openTelemetrySpans } = await import("./openTelemetry.js");
    return openTelemetrySpans(endpoint, process.env["TRACEPARENT"]);
  }),
};

/** Delay before reconnecting to the engine after a lost connection, in milliseconds. */
const AGAIN_MS = 500;

/**
 * Calls back once when the engine has ended: a connection to it closes, and the next one is refused. This process and its
 * pending operations would otherwise continue to run. An address that never accepted a connection is not watched.
 *
 * @param address `host:port`
 */
export function watchEngineAt(address: string, onGone: () => void): void {
  const colon = address.lastIndexOf(":");
  const port = Number(address.slice(colon + 1));
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) return;
  let wasThere = false;
  // a process that now serves another engine continues: tests reuse processes
  const argument = process.argv.at(-1);
  const isStillOurs = (): boolean => process.argv.at(-1) === argument;
  const watch = (): void => {
    let reason: string | undefined;
    const connection = connect({ host: address.slice(0, Math.max(0, colon)) || "127.0.0.1", port }, () => {
      wasThere = true;
    });
    connection.unref();
    connection.on("error", ({ code }: NodeJS.ErrnoException) => (reason = code));
    connection.resume(); // otherwise `close` is not emitted
    connection.once("close", () => {
      if (!wasThere || !isStillOurs()) return;
      if (reason === "ECONNREFUSED") onGone();
      else setTimeout(watch, AGAIN_MS).unref();
    });
  };
  watch();
}
