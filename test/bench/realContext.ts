import { lookup } from "node:dns";
import nodeFetch from "node-fetch";
import { Pacers } from "../../dist/provider/base/http/pacer.js";
import { Semaphore } from "../../dist/provider/base/runtime/concurrency/semaphore.js";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { noTracer } from "../../dist/provider/base/runtime/tracing/tracer.js";
import type { PublicationContext } from "../../dist/provider/copies/publication/context.js";
import { JobsSeen } from "../../dist/provider/service/jobsSeen.js";

const silent = (): undefined => undefined;
const NO_RECORDS: PublicationContext["resumeRecords"] & PublicationContext["publicationRecords"] = {
  find: () => ({}),
  save: silent,
  forgetStart: silent,
  handOver: silent,
  rename: silent,
  forget: silent,
  forgetContent: silent,
};

/** The real context of an operation of the provider, but nothing is shown and nothing recorded. */
export function realContext(given: Partial<PublicationContext>): PublicationContext {
  return {
    configuration: { environment: (name) => process.env[name], stackConfig: silent },
    fetch: nodeFetch,
    lookup,
    clock: systemClock,
    pacers: new Pacers(given.clock ?? systemClock),
    jobsSeen: new JobsSeen(),
    downloads: new Semaphore(8),
    publications: new Semaphore(4),
    reporter: { progress: silent, debug: silent, info: silent, warn: silent },
    secrets: new Secrets(),
    resumeRecords: NO_RECORDS,
    publicationRecords: NO_RECORDS,
    tracer: noTracer,
    declaredPlaces: { isDeclared: () => true },
    machine: "bench",
    runningOperations: () => 1,
    signal: new AbortController().signal,
    ...given,
  };
}
