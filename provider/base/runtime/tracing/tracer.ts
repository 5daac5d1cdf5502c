import type { Secrets } from "../messages/secrets";

/** Every attribute that a span may have: ids, numbers and this package's own texts. There is none for a key or a link. */
export interface Attributes {
  /** URN of the operation's resource. */
  readonly "pulumi.urn"?: string | undefined;
  readonly "docs_hosting.domain"?: string | undefined;
  /** The reason for the operation: a `DecisionCode`. */
  readonly "docs_hosting.decision"?: string;
  readonly "docs_hosting.job.id"?: string | undefined;
  /** Project of an agent job. */
  readonly "docs_hosting.project.id"?: string;
  /** Status of a job in a poll, as the service reported it. */
  readonly "docs_hosting.job.status"?: string;
  /** Meaning of that status: a `JobOutcome`. */
  readonly "docs_hosting.job.outcome"?: string;
  /** Percent done. */
  readonly "docs_hosting.job.progress"?: number | undefined;
  readonly "docs_hosting.job.pages"?: number | undefined;
  /** When a link expires: ISO 8601. */
  readonly "docs_hosting.link.expires_at"?: string | undefined;
  /** SHA-256 of a bundle's archive: hexadecimal digits. */
  readonly "docs_hosting.bundle.sha256"?: string;
  /** Size of a bundle's archive in bytes. */
  readonly "docs_hosting.bundle.size"?: number;
  /** Number of files of the site in a bundle. */
  readonly "docs_hosting.bundle.files"?: number;
  /** Files that were fetched from other hosts, and their size in bytes. */
  readonly "docs_hosting.external.files"?: number;
  readonly "docs_hosting.external.size"?: number;
  /** Destination of a copy or of kits. */
  readonly "docs_hosting.destination"?: string;
  /** Class of the error that ended a span, or error status of a request. */
  readonly "error.type"?: string | undefined;
  /** Method of a request: it makes the span a client span. */
  readonly "http.request.method"?: string;
  readonly "http.response.status_code"?: number;
  /** How many times the request was sent before. */
  readonly "http.request.resend_count"?: number;
  /** URL of a request to the service only: these URLs have no query. */
  readonly "url.full"?: string;
  readonly "server.address"?: string;
  readonly "server.port"?: number;
}

/** Traces work as spans, from its start to its end. Never fails. */
export interface Tracer {
  /**
   * Runs the work as a span, a child of the current span. The span records class and message of a thrown error.
   *
   * @param name one of a few names; the attributes tell the spans apart
   */
  span<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T>;
  /** Adds attributes to the current span. Child spans that start later inherit them. */
  note(attributes: Attributes): void;
}

/** Tracing is off. */
export const noTracer: Tracer = {
  span: (_name, _attributes, run) => run(),
  note: () => undefined,
};

export interface TracedOperation {
  /** The operation: "create". */
  readonly name: string;
  readonly urn: string | undefined;
  /** The span of the call in the form of the header `traceparent`, if the call carries it. @default the span of the run */
  readonly traceParent?: string | undefined;
  /** Logs why spans are missing. */
  readonly debug: (line: string) => void;
  /** Values that no span may contain. */
  readonly secrets: Secrets;
}

export interface Tracing {
  /** Starts to load the tracing packages, before the first call is answered. */
  listen(): void;
  /**
   * Runs an operation as a span, below the run's span if the engine passes one. It waits until all spans are sent, because
   * Pulumi may end this process directly afterwards. A tracing failure does not change the operation's result.
   */
  operation<T>(operation: TracedOperation, run: (tracer: Tracer) => Promise<T>): Promise<T>;
}

/** Tracing is off. */
const noTracing: Tracing = {
  listen: () => undefined,
  operation: (_operation, run) => run(noTracer),
};

/** Creates the spans of operations, once it is loaded. */
export type SpanMaker = Pick<Tracing, "operation">;

/**
 * Tracing as the environment requests it. Without an endpoint nothing is loaded or traced. Without an installed OpenTelemetry
 * nothing is traced.
 *
 * @param endpoint the endpoint at which Pulumi accepts spans, if the run is traced
 * @param load creates the sender of spans to an endpoint
 */
export function tracingTo(
  endpoint: string | undefined,
  load: (endpoint: string) => Promise<SpanMaker>,
): Tracing {
  if (endpoint === undefined || endpoint === "") return noTracing;
  let loading: Promise<SpanMaker> | undefined;
  const loaded = (): Promise<SpanMaker> => (loading ??= load(endpoint).catch(notLoaded));
  return {
    listen: () => void loaded(),
    operation: async (operation, run) => (await loaded()).operation(operation, run),
  };
}

/** Runs operations without spans, and reports why once. */
function notLoaded(error: unknown): SpanMaker {
  const why = (error as { code?: string }).code ?? String(error);
  let isReported = false;
  return {
    operation(operation, run) {
      if (!isReported) operation.debug(`no spans are sent: OpenTelemetry could not be loaded (${why})`);
      isReported = true;
      return run(noTracer);
    },
  };
}
