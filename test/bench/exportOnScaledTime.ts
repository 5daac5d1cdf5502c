import { systemClock, type Clock } from "../../dist/provider/runtime/time/clock.js";
import { staticExport } from "../../dist/provider/staticExport/lifeCycle.js";
import type { StaticExportState } from "../../dist/provider/staticExport/state.js";
import type { BenchService } from "./benchSites.ts";
import { realContext } from "./realContext.ts";

/** A clock on which pauses and limits pass faster by this factor. */
export function scaledClock(factor: number): Clock {
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() * factor,
    after: (delayMs, callback) => systemClock.after(delayMs / factor, callback),
  };
}

/** One export as the provider does it, over real sockets, on a faster clock. */
export function exportOnScaledTime(
  { baseUrl, key, domain }: BenchService,
  clock: Clock,
  inFlight: () => number,
): Promise<StaticExportState> {
  return staticExport.create(
    realContext({
      configuration: {
        environment: (name: string) => (name === "KEY" ? key : undefined),
        stackConfig: () => undefined,
      },
      clock,
      inFlight,
    }),
    { domain, baseUrl, apiKeyEnv: "KEY" },
  );
}
