import { noTracer, type Tracer } from "../../runtime/tracing/tracer";
import type { Secrets } from "../../runtime/messages/secrets";

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
export const noTracing: Tracing = {
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
  let loading: Promise<SpanMaker | string> | undefined;
  let isReported = false;
  // a string is the reason for a failed load
  const loaded = (): Promise<SpanMaker | string> =>
    (loading ??= load(endpoint).catch(
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    ));
  return {
    listen: () => void loaded(),
    async operation(operation, run) {
      const spans = await loaded();
      if (typeof spans !== "string") return spans.operation(operation, run);
      if (!isReported) operation.debug(`no spans are sent: OpenTelemetry could not be loaded (${spans})`);
      isReported = true;
      return run(noTracer);
    },
  };
}
