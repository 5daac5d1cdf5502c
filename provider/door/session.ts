// What all operations of this process share: configuration, resume records, and the end that Ctrl-C brings.
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { watchForCancel } from "./cancellation";
import { systemClock } from "../time/clock";
import type { ConfigurationSource } from "../service/configuration";
import type { Context } from "../resource/context";
import { engineReporter } from "./engineLog";
import { CancelledError } from "../words/errors";
import { recordFolder, ResumeFolder } from "../resource/resumeRecords";

/** The stack's configuration. */
export interface StackConfig {
  get(name: string): string | undefined;
}

/** As the host hands it to `configure`. Other calls do not wait for it: stored at once. */
let stackConfig: StackConfig | undefined;

/** Called before any other call is answered: from now on Ctrl-C is noticed, whatever is under way. */
export function configure(config: StackConfig): void {
  stackConfig = config;
  watchForCancel(onCancel);
}

export const configuration: ConfigurationSource = {
  environment: (name) => process.env[name],
  stackConfig: (name) => stackConfig?.get(name),
};

/** Started jobs that the state may not have yet. */
export const resumeRecords = new ResumeFolder(
  () => recordFolder((name) => process.env[name]),
  () => systemClock.now(),
  () => systemClock.random(),
);

/** Operations that Ctrl-C stops. */
const inFlight = new Set<AbortController>();
/** What a call gets that arrives after Ctrl-C: it was already on its way. */
let cancelled: CancelledError | undefined;
/** Something was under way when Ctrl-C came: after a second one, Pulumi stores nothing of what was returned since. */
let wasCutOff = false;

/**
 * Runs what takes its time: with progress on the resource's row, and so that Ctrl-C stops it.
 *
 * @param urn of the resource, when it is known
 */
export async function operation<T>(
  urn: string | undefined,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  watchForCancel(onCancel);
  const stop = new AbortController();
  const reporter = engineReporter(urn, systemClock);
  inFlight.add(stop);
  if (cancelled) {
    stop.abort(cancelled);
    wasCutOff = true;
  }
  try {
    return await run({
      configuration,
      fetch: nodeFetch,
      clock: systemClock,
      reporter,
      resumeRecords,
      ...(urn !== undefined && { urn }),
      machine: hostname(),
      inFlight: () => inFlight.size,
      signal: stop.signal,
    });
  } finally {
    inFlight.delete(stop);
    reporter.close();
  }
}

/** Also called at the normal end of every operation of the engine, after which this process gets no other call. */
function onCancel(): void {
  cancelled = new CancelledError("the run was cancelled", "");
  wasCutOff ||= inFlight.size > 0;
  for (const stop of inFlight) stop.abort(cancelled);
  if (!wasCutOff) resumeRecords.operationEnded();
}
