import { lookup } from "node:dns";
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { systemClock } from "../time/clock";
import { CallerSpans } from "./callerSpans";
import { watchForCancel } from "./cancellation";
import { engineReporter } from "./engineLog";
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
  tracing: tracingTo(
    process.env["PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT"],
    new CallerSpans(),
    async (endpoint) => {
      const { openTelemetrySpans } = await import("./openTelemetry.js");
      return openTelemetrySpans(endpoint);
    },
  ),
};
