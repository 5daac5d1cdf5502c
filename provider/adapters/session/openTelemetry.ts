import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { type Clock, systemClock } from "../../base/runtime/time/clock";
import { Spans } from "./spans";

/** Interval for sending ended spans, in milliseconds: short, so that the spans of a killed run arrive, too. */
const SEND_EVERY_MS = 1_000;

/**
 * Sends spans to Pulumi, which accepts OTLP over gRPC without TLS on this machine (`localhost:PORT`) and forwards them to the
 * target of `--otel-traces`. Only traced runs load this module: OpenTelemetry may not be installed. It registers nothing
 * globally, so other code in this process is unaffected.
 *
 * @param run the span of the run, as the variable `TRACEPARENT` has it
 */
export function openTelemetrySpans(
  endpoint: string,
  run?: string,
  clock: Pick<Clock, "after"> = systemClock,
): Spans {
  const url = endpoint.includes("://") ? endpoint : `http://${endpoint}`;
  const exporter = new OTLPTraceExporter({ url });
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": "pulumi-docs-hosting" }),
    spanProcessors: [processor],
  });
  return new Spans({
    run,
    clock,
    tracer: provider.getTracer("pulumi-docs-hosting"),
    flush: async () => {
      await processor.forceFlush();
      await exporter.forceFlush(); // also what the processor sent before
    },
  });
}
