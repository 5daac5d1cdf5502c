import { lookup } from "node:dns";
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { systemClock } from "../time/clock";
import { watchForCancel } from "./cancellation";
import { engineReporter } from "./engineLog";
import type { Host } from "./session";

/** The dynamic-provider process. */
export const thisProcess: Host = {
  fetch: nodeFetch,
  lookup,
  clock: systemClock,
  machine: hostname(),
  environment: (name) => process.env[name],
  reporter: (urn) => engineReporter(urn, systemClock),
  watchForCancel,
};
