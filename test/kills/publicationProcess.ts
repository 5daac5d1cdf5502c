// Publishes a copy or a kit, as one operation of the provider. The argument is a `Job` in JSON. Prints `answer STATE` when the
// engine would get the state: of a success, or of a recorded failure. `window MS`: from the first record to the answer.
import { randomUUID } from "node:crypto";
import { RunCancelledError } from "../../dist/provider/base/runtime/messages/errors.js";
import { systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { bundleCopy } from "../../dist/provider/copies/bundleCopy/lifeCycle.js";
import type { BundleCopyState } from "../../dist/provider/copies/bundleCopy/state.js";
import { PublicationFolder } from "../../dist/provider/copies/publication/publicationRecords.js";
import { airGapKit } from "../../dist/provider/kits/airGapKit/lifeCycle.js";
import { UnfinishedError } from "../../dist/provider/resource/lifeCycle.js";
import { realContext } from "../bench/realContext.ts";

/** The arguments of a process. */
export interface Job {
  readonly resource: "BundleCopy" | "AirGapKit";
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The folder of the records. */
  readonly notes: string;
  /** How it is ended: by SIGKILL to itself, or by the signal that Ctrl-C aborts. */
  readonly end?: "kill" | "cancel";
  /** When: this number of milliseconds after the first record, or at once at the second: all is published then. */
  readonly at?: number | "published";
  /** The state of the copy that it updates. @default a new one is created */
  readonly state?: object;
  /** The machine that it runs on. @default another one each time */
  readonly machine?: string;
  /** The date that it writes, in milliseconds since 1970. Default: the present time. */
  readonly date?: number;
}

const job = JSON.parse(process.argv[2] ?? "") as Job;
const stop = new AbortController();
const end = (): void => {
  if (job.end === "kill") process.kill(process.pid, "SIGKILL");
  else stop.abort(new RunCancelledError("the run was cancelled", ""));
};
const records = new PublicationFolder(() => job.notes);
let notes = 0;
let beganMs = 0;
const publicationRecords = {
  find: (...given: Parameters<typeof records.find>) => records.find(...given),
  handOver: (...given: Parameters<typeof records.handOver>) => records.handOver(...given),
  forget: (...given: Parameters<typeof records.forget>) => records.forget(...given),
  save: (...given: Parameters<typeof records.save>) => {
    const problem = records.save(...given);
    if (++notes === 1) {
      beganMs = performance.now();
      if (job.end && typeof job.at === "number") setTimeout(end, job.at);
    } else if (job.end && job.at === "published") {
      end();
    }
    return problem;
  },
};
const context = realContext({
  publicationRecords,
  urn: "urn:pulumi:kills",
  signal: stop.signal,
  machine: job.machine ?? randomUUID(),
  clock: { ...systemClock, now: () => job.date ?? Date.now() },
});

async function run(): Promise<object> {
  if (job.resource === "BundleCopy") {
    const { inputs } = bundleCopy.check(job.inputs, context.configuration);
    if (job.state) return bundleCopy.update(context, job.state as BundleCopyState, inputs);
    return bundleCopy.create(context, inputs);
  }
  const { inputs } = airGapKit.check(job.inputs, context.configuration);
  return airGapKit.create(context, inputs);
}

try {
  const state = await run();
  console.log(`window ${performance.now() - beganMs}`);
  console.log(`answer ${JSON.stringify(state)}`);
  records.operationEnded();
} catch (error) {
  if (error instanceof UnfinishedError) console.log(`answer ${JSON.stringify(error.state)}`);
  else console.log(`failed ${String(error)}`);
}
process.exit();
