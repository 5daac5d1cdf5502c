/**
 * Process of a bench: waits for as many exports at once as the arguments say, on a clock that is faster by their factor,
 * and tells what that cost. Ends by itself, unless something keeps it.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { exportOnScaledTime, scaledClock } from "./exportOnScaledTime.ts";

/** What a process took for all its waits. */
export interface WaitsCost {
  links: number;
  cpuMs: number;
  peakRssMiB: number;
  /** 99th percentile, in milliseconds. */
  loopDelayMs: number;
  seconds: number;
  /** What is left when all waits have ended, such as "Timeout": sockets kept for reuse, which keep no process, are told apart. */
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
const { user, system } = process.cpuUsage(before);
const cost: WaitsCost = {
  links,
  cpuMs: (user + system) / 1_000,
  peakRssMiB: process.resourceUsage().maxRSS / 1_024,
  loopDelayMs: loopDelay.percentile(99) / 1e6,
  seconds: (performance.now() - begunMs) / 1_000,
  left: process.getActiveResourcesInfo(),
};
process.stdout.write(JSON.stringify(cost));
