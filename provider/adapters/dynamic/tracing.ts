import { noTracer, type Tracer } from "../../tracing/tracer";
import type { Secrets } from "../../messages/secrets";

/** An operation of a resource, as tracing has it. */
export interface TracedOperation {
  /** What is done: "create". */
  readonly name: string;
  readonly urn: string | undefined;
  /** Takes a line for those who miss spans. */
  readonly debug: (line: string) => void;
  /** What no span may hold. */
  readonly secrets: Secrets;
}

/** Traces operations, each as a whole. */
export interface Tracing {
  /** Before any call is answered: what makes spans begins to load. */
  listen(): void;
  /**
   * Runs an operation as a span, below the run where the engine hands that over, and sees that all spans have left when it
   * ends: Pulumi may end this process right after. Whatever becomes of them, the operation ends as it would without.
   */
  operation<T>(operation: TracedOperation, run: (tracer: Tracer) => Promise<T>): Promise<T>;
}

/** Nothing is traced. */
export const noTracing: Tracing = {
  listen: () => undefined,
  operation: (_operation, run) => run(noTracer),
};

/** What makes spans of operations, once it is loaded. */
export type SpanMaker = Pick<Tracing, "operation">;

/**
 * Tracing as the environment asks for it. Without an endpoint nothing is loaded, and nothing happens; nor does it where
 * OpenTelemetry is not installed.
 *
 * @param endpoint where Pulumi takes spans, while it traces
 * @param load makes what sends spans to an endpoint
 */
export function tracingTo(
  endpoint: string | undefined,
  load: (endpoint: string) => Promise<SpanMaker>,
): Tracing {
  if (endpoint === undefined || endpoint === "") return noTracing;
  let loading: Promise<SpanMaker | string> | undefined;
  let isTold = false;
  // a text says why there is none
  const loaded = (): Promise<SpanMaker | string> =>
    (loading ??= load(endpoint).catch(
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    ));
  return {
    listen: () => void loaded(),
    async operation(operation, run) {
      const spans = await loaded();
      if (typeof spans !== "string") return spans.operation(operation, run);
      if (!isTold) operation.debug(`no spans are sent: OpenTelemetry could not be loaded (${spans})`);
      isTold = true;
      return run(noTracer);
    },
  };
}
