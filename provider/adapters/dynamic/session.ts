import { homeFolder } from "../../files/homeFolder";
import { Pacers } from "../../http/pacers";
import { Slots } from "../../http/slots";
import type { Context } from "../../resource/context";
import { PublicationFolder } from "../../resource/publicationRecords";
import { ResumeFolder } from "../../resource/resumeRecords";
import type { ConfigurationSource } from "../../service/configuration";
import { machineOf, type Machine } from "../../time/serviceClock";
import { RunCancelledError } from "../../messages/errors";
import { withoutSecrets, type Reporter } from "../../messages/reporter";
import type { Secrets } from "../../messages/secrets";
import type { Tracing } from "./tracing";

/** The stack's configuration. */
export interface StackConfig {
  get(name: string): string | undefined;
}

/** What a session takes from the process that it runs in. */
export interface Host extends Pick<Context, "fetch" | "lookup" | "clock" | "machine"> {
  /** Environment variables, read anew whenever one is needed. */
  readonly environment: (name: string) => string | undefined;
  /** A row of the CLI. @param urn of the resource, when it is known */
  reporter(urn: string | undefined): Reporter & { close(): void };
  /** Calls back when the user stops the run, and at its normal end. Watching twice changes nothing. */
  watchForCancel(onCancel: () => void): void;
  /** Calls back once when the engine is gone, which cannot take an answer any more. Watching twice changes nothing. */
  watchEngine(onGone: () => void): void;
  /** Ends the process. */
  readonly exit: () => void;
  /** What tells tracers of each operation. */
  readonly tracing: Tracing;
}

/** How long operations have to end whose engine is gone, in milliseconds. */
const LEFT_LIMIT_MS = 10_000;
/** How many bundles are downloaded at once: each takes a thread and some ten megabytes, and few fill any line. */
const MOST_DOWNLOADS = 8;

/** What all operations of one process share: configuration, resume records, what is in flight, and the end that Ctrl-C brings. */
export class Session {
  /** Started jobs that the state may not have yet. */
  readonly resumeRecords: ResumeFolder;
  /** Publications that the state may not have yet. */
  readonly publicationRecords: PublicationFolder;
  readonly #host: Host;
  /** So that a refusal of the service counts for all operations. */
  readonly #pacers: Pacers;
  readonly #downloads = new Slots(MOST_DOWNLOADS);
  #stackConfig: StackConfig | undefined;
  /** Operations that Ctrl-C stops. */
  readonly #inFlight = new Set<AbortController>();
  /** What a call gets that arrives after Ctrl-C: it was already on its way. */
  #cancelled: RunCancelledError | undefined;
  /** Something was under way when Ctrl-C came: after a second one, Pulumi stores nothing of what was returned since. */
  #wasCutOff = false;
  /** The engine is gone. */
  #isLeft = false;

  constructor(host: Host) {
    this.#host = host;
    this.#pacers = new Pacers(host.clock);
    this.resumeRecords = new ResumeFolder(
      () => homeFolder(host.environment, "resume"),
      () => host.clock.now(),
      () => host.clock.random(),
    );
    this.publicationRecords = new PublicationFolder(() => homeFolder(host.environment, "published"));
  }

  /** The settings that one call reads. @param secrets gets what nobody may see of them */
  configuration(secrets: Secrets): ConfigurationSource {
    const { environment } = this.#host;
    return { secrets, environment, stackConfig: (name) => this.#stackConfig?.get(name) };
  }

  get machine(): Machine {
    return machineOf(this.#host);
  }

  /** Before any other call is answered: from now on Ctrl-C is noticed, whatever is under way. */
  configure(config: StackConfig): void {
    this.#stackConfig = config;
    this.#host.tracing.listen();
    this.#watch();
  }

  /** The row of a resource, for a call that takes no time. @param urn when it is known */
  reporter(urn: string | undefined, secrets: Secrets): Reporter {
    return withoutSecrets(this.#host.reporter(urn), secrets);
  }

  /**
   * Runs what takes its time: with progress on the resource's row, and so that Ctrl-C stops it.
   *
   * @param name what is done: "create"
   * @param urns of the resource, when it is known; and in the state, where it was renamed since
   * @param secrets get what the operation reads; no line and no span holds them
   */
  async operation<T>(
    name: string,
    urns: Pick<Context, "urn" | "formerUrn">,
    secrets: Secrets,
    run: (context: Context) => Promise<T>,
  ): Promise<T> {
    this.#watch();
    const stop = new AbortController();
    const { urn } = urns;
    const row = this.#host.reporter(urn);
    const reporter = withoutSecrets(row, secrets);
    this.#inFlight.add(stop);
    if (this.#cancelled) {
      stop.abort(this.#cancelled);
      this.#wasCutOff = true;
    }
    try {
      const { fetch, lookup, clock, machine, tracing } = this.#host;
      const debug = (line: string): void => reporter.debug(line);
      return await tracing.operation({ name, urn, debug, secrets }, (tracer) =>
        run({
          configuration: this.configuration(secrets),
          fetch,
          lookup,
          clock,
          pacers: this.#pacers,
          downloads: this.#downloads,
          machine,
          reporter,
          tracer,
          secrets,
          resumeRecords: this.resumeRecords,
          publicationRecords: this.publicationRecords,
          ...urns,
          inFlight: () => this.#inFlight.size,
          signal: stop.signal,
        }),
      );
    } finally {
      this.#inFlight.delete(stop);
      this.#endIfLeft();
      row.close();
    }
  }

  #watch(): void {
    this.#host.watchForCancel(this.#onCancel);
    this.#host.watchEngine(this.#onEngineGone);
  }

  /** Nobody stores what operations return now: jobs stay in the resume records, and the process ends with its operations. */
  readonly #onEngineGone = (): void => {
    const { clock, exit } = this.#host;
    this.#isLeft = true;
    this.#cancelled = new RunCancelledError("Pulumi has ended before it", "");
    for (const stop of this.#inFlight) stop.abort(this.#cancelled);
    clock.after(LEFT_LIMIT_MS, exit);
    this.#endIfLeft();
  };

  #endIfLeft(): void {
    if (this.#isLeft && this.#inFlight.size === 0) this.#host.exit();
  }

  /** Also called at the normal end of every operation of the engine, after which this process gets no other call. */
  readonly #onCancel = (): void => {
    this.#cancelled = new RunCancelledError("the run was cancelled", "");
    this.#wasCutOff ||= this.#inFlight.size > 0;
    for (const stop of this.#inFlight) stop.abort(this.#cancelled);
    if (this.#wasCutOff) return;
    this.resumeRecords.operationEnded();
    this.publicationRecords.operationEnded();
  };
}
