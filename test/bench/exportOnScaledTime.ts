import nodeFetch from "node-fetch";
import { systemClock, type Clock } from "../../dist/provider/time/clock.js";
import type { ResumeRecords } from "../../dist/provider/resource/resumeRecords.js";
import { staticExport } from "../../dist/provider/staticExport/lifeCycle.js";
import type { StaticExportState } from "../../dist/provider/staticExport/state.js";
import type { BenchService } from "./benchSites.ts";

/** A clock on which waits and limits pass faster than they are, by this factor. */
export function scaledClock(factor: number): Clock {
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() * factor,
    after: (delayMs, callback) => systemClock.after(delayMs / factor, callback),
  };
}

const silent = (): undefined => undefined;
const NO_RECORDS: ResumeRecords = {
  find: silent,
  save: silent,
  findStart: silent,
  saveStart: silent,
  forgetStart: silent,
  handOver: silent,
  rename: silent,
  forget: silent,
};

/** One export as the provider does it, over real sockets, on a faster clock. */
export function exportOnScaledTime(
  { baseUrl, key, domain }: BenchService,
  clock: Clock,
  inFlight: () => number,
): Promise<StaticExportState> {
  return staticExport.create(
    {
      configuration: { environment: () => key, stackConfig: silent },
      fetch: nodeFetch,
      clock,
      reporter: { progress: silent, debug: silent, info: silent, warn: silent },
      resumeRecords: NO_RECORDS,
      machine: "bench",
      inFlight,
      signal: new AbortController().signal,
    },
    { domain, baseUrl, apiKeyEnv: "KEY" },
  );
}
