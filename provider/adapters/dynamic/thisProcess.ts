import { lookup } from "node:dns";
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { systemClock } from "../../time/clock";
import { engineReporter } from "./engineLog";
import { watchEngine, watchForCancel } from "./pulumiHost";
import type { Host } from "./session";
import { tracingTo } from "./tracing";

/** The dynamic-provider process. */
export const thisProcess: Host = {
  fetch: nodeFetch,
  lookup,
  clock: systemClock,
  machine: hostname(),
  environment: (name) => process.env[name],
  reporter: (urn) => engineReporter(urn, systemClock),
  watchForCancel,
  watchEngine,
  exit: () => process.exit(1),
  tracing: tracingTo(process.env["PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT"], async (endpoint) => {
    const { openTelemetrySpans } = await import("./openTelemetry.js");
    return openTelemetrySpans(endpoint, process.env["TRACEPARENT"]);
  }),
};
