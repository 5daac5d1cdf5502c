import { systemClock, type Clock } from "../../time/clock";
import { Spans } from "./spans";

/** How soon spans that have ended leave, in milliseconds: what a killed run did is told, too. */
const SEND_EVERY_MS = 1_000;

/**
 * Sends spans to Pulumi, which takes OTLP over gRPC without TLS on this machine (`localhost:PORT`) and hands them on to where
 * `--otel-traces` says. The packages are loaded here and nowhere else: only who traces needs them. Nothing is registered
 * globally, so that whatever else is in this process is not concerned.
 *
 * @param run the span of the run, as the variable `TRACEPARENT` has it
 * @throws an Error with the code `ERR_MODULE_NOT_FOUND` where OpenTelemetry is not installed
 */
export async function openTelemetrySpans(
  endpoint: string,
  run?: string,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<Spans> {
  const [
    api,
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { BasicTracerProvider, BatchSpanProcessor },
  ] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/exporter-trace-otlp-grpc"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace-base"),
  ]);
  const url = endpoint.includes("://") ? endpoint : `http://${endpoint}`;
  const exporter = new OTLPTraceExporter({ url });
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": "pulumi-docs-hosting" }),
    spanProcessors: [processor],
  });
  return new Spans({
    api,
    run,
    clock,
    tracer: provider.getTracer("pulumi-docs-hosting"),
    flush: async () => {
      await processor.forceFlush();
      await exporter.forceFlush(); // also what the processor sent before
    },
  });
}
