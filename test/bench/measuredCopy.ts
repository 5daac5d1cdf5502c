// One operation on a copy of a site in a bucket, in a process of its own, for `growth.ts`. Arguments: the operation, the inputs as
// JSON, the file of the state. Prints the cost. «idle» only loads the code, and the package that follows.
import { readFileSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../dist/provider/copies/bundleCopy/inputs.js";
import { bundleCopy } from "../../dist/provider/copies/bundleCopy/lifeCycle.js";
import type { BundleCopyState } from "../../dist/provider/copies/bundleCopy/state.js";
import { checkByTable } from "../../dist/provider/resource/inputTable.js";
import { realContext } from "./realContext.ts";

/** The cost of an operation, on top of the process that carries it out. */
export interface CopyCost {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  /** The longest time for which nothing else could run in the process. */
  readonly gapMs: number;
}

const [operation = "", given = "{}", stateFile = ""] = process.argv.slice(2);
const context = realContext({});

async function run(): Promise<void> {
  if (operation === "idle") {
    if (given !== "{}") await import(given);
    return;
  }
  const { inputs, failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    JSON.parse(given) as Record<string, unknown>,
    context.configuration,
  );
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
  const stored = (): BundleCopyState => JSON.parse(readFileSync(stateFile, "utf8")) as BundleCopyState;
  const store = (state: BundleCopyState): void => writeFileSync(stateFile, JSON.stringify(state));
  if (operation === "create") store(await bundleCopy.create(context, inputs));
  if (operation === "update") store(await bundleCopy.update(context, stored(), inputs));
  if (operation === "refresh") {
    const found = await bundleCopy.read(context, stored());
    if (found?.state.bookkeeping.drifted !== undefined) throw new Error("the copy is not as it was made");
  }
  if (operation === "destroy") await bundleCopy.remove(context, stored());
}

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
await run();
const { user, system } = process.cpuUsage();
// not `resourceUsage`, which includes the parent's memory at the start of this process
const peakKib = Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
const cost: CopyCost = {
  cpuSeconds: (user + system) / 1e6,
  peakMiB: peakKib / 1024,
  gapMs: delay.max / 1e6,
};
console.log(JSON.stringify(cost));
process.exit();
