import { lookup } from "node:dns";
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { systemClock } from "../../runtime/time/clock";
import type { Host } from "./session";
import { tracingTo } from "./tracing";

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
