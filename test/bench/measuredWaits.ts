/**
 * Process of a bench: waits for as many exports at once as its argument says, and reports the cost. Ends by itself, unless
 * something keeps it alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { publications } from "../../dist/provider/adapters/session/publications.js";
import { rowReporter } from "../../dist/provider/adapters/session/rowReporter.js";
import { Session, thisProcess } from "../../dist/provider/adapters/session/session.js";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { staticExport } from "../../dist/provider/staticExport/lifeCycle.js";

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

const [baseUrl = "", count = ""] = process.argv.slice(2);

const silent = (): void => undefined;
/** All operations of a process share a session, as in Pulumi's process: its pace of requests, too. Nothing is shown. */
const session = new Session(
  {
    ...thisProcess,
    environment: (name) => (name === "KEY" ? "svc_bench" : undefined),
    reporter: (urn) => rowReporter(silent, urn, systemClock),
    watchForCancel: silent,
    watchEngine: silent,
  },
  publications(thisProcess),
);

/** Node.js opens its own error output, which may be a pipe, when the first socket closes. */
const errors = process.stderr;
const atStart = errors.writable ? process.getActiveResourcesInfo() : [];
const loopDelay = monitorEventLoopDelay({ resolution: 1 });
let links = 0;
const before = process.cpuUsage();
const begunMs = performance.now();
loopDelay.enable();
await Promise.all(
  Array.from({ length: Number(count) }, async (_, index) => {
    const inputs = { domain: `docs-${index}.example.com`, baseUrl, apiKeyEnv: "KEY" };
    const { outputs } = await session.operation("create", {}, new Secrets(), (context) =>
      staticExport.create(context, inputs),
    );
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
  left: process.getActiveResourcesInfo().filter((name) => !atStart.includes(name)),
};
process.stdout.write(JSON.stringify(cost));
