import { sameTriggers, type CheckedInputs } from "./staticExportInputs";
import { intentOf, type StaticExportState } from "./staticExportState";

/** The one thing to do so that the state becomes what the inputs ask for. */
export type Plan =
  /** Start a new job. */
  | { action: "start" }
  /** Wait for this job, then mint a link. */
  | { action: "continue"; jobId: string; completed: boolean; because: "ADOPTED" | "RESUMED" }
  /** Mint a fresh link to the same job. */
  | { action: "renew"; jobId: string }
  /** Remember the inputs; ask the service nothing. */
  | { action: "record" };

/**
 * Decides what has to happen; does nothing itself. Previews and updates both decide here, so that an update does what
 * its preview said.
 *
 * @param state `undefined` for a resource that does not exist yet
 * @param nowMs milliseconds since 1970
 */
export function planExport(inputs: CheckedInputs, state: StaticExportState | undefined, nowMs: number): Plan {
  const wanted: Plan =
    inputs.jobId === undefined
      ? { action: "start" }
      : { action: "continue", jobId: inputs.jobId, completed: false, because: "ADOPTED" };
  if (!state) return wanted;

  const { outputs, bookkeeping } = state;
  const { unfinished } = bookkeeping;
  if (unfinished?.intent === intentOf(inputs)) {
    const { jobId, completed } = unfinished;
    return jobId === undefined ? wanted : { action: "continue", jobId, completed, because: "RESUMED" };
  }
  if (outputs.bundleUrl === undefined) return wanted;
  if (inputs.jobId === undefined ? contentChanged(inputs, state) : inputs.jobId !== outputs.jobId)
    return wanted;
  if (outputs.renewAfter !== undefined && nowMs >= Date.parse(outputs.renewAfter)) {
    return { action: "renew", jobId: outputs.jobId };
  }
  return { action: "record" };
}

/** The names of the inputs that are not as they were when the outputs were made. */
export function changedInputs(inputs: CheckedInputs, { outputs, bookkeeping }: StaticExportState): string[] {
  const before = {
    ...outputs,
    version: bookkeeping.given.includes("version") ? outputs.version : undefined,
    jobId: bookkeeping.given.includes("jobId") ? outputs.jobId : undefined,
  };
  const scalars = ["domain", "version", "jobId", "renewBefore", "baseUrl", "apiKeyEnv"] as const;
  return [
    ...scalars.filter((name) => inputs[name] !== before[name]),
    ...(sameTriggers(inputs.triggers, before.triggers) ? [] : ["triggers"]),
  ];
}

function contentChanged(inputs: CheckedInputs, state: StaticExportState): boolean {
  return changedInputs(inputs, state).some((name) => name === "version" || name === "triggers");
}
