/**
 * Process of a bench: waits for as many exports at once as the arguments say, on a clock that is faster by their factor, and
 * reports the cost. Ends by itself, unless something keeps it alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { exportOnScaledTime, scaledClock } from "./exportOnScaledTime.ts";

/** The cost of all waits of a process. */
export interface WaitsCost {
  links: number;
  cpuMs: number;
  peakRssMiB: number;
  /** 99th percentile, in milliseconds. */
  loopDelayMs: number;
  seconds: number;
  /** What keeps the process alive half a second after all waits have ended, such as "Timeout". */
  left: string[];
}

const [baseUrl = "", count = "", factor = ""] = process.argv.slice(2);

const loopDelay = monitorEventLoopDelay({ resolution: 1 });
const clock = scaledClock(Number(factor));
let inFlight = Number(count);
let links = 0;
const before = process.cpuUsage();
const begunMs = performance.now();
loopDelay.enable();
await Promise.all(
  Array.from({ length: inFlight }, async (_, index) => {
    const service = { baseUrl, key: "svc_bench", domain: `docs-${index}.example.com` };
    const { outputs } = await exportOnScaledTime(service, clock, () => inFlight);
    inFlight--;
    if (outputs.bundleUrl !== undefined) links++;
  }),
);
loopDelay.disable();
const seconds = (performance.now() - begunMs) / 1_000;
const { user, system } = process.cpuUsage(before);
await delay(500); // connections of the last replies are closing
const cost: WaitsCost = {
  links,
  cpuMs: (user + system) / 1_000,
  peakRssMiB: process.resourceUsage().maxRSS / 1_024,
  loopDelayMs: loopDelay.percentile(99) / 1e6,
  seconds,
  left: process.getActiveResourcesInfo(),
};
process.stdout.write(JSON.stringify(cost));
