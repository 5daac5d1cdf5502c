import { fromNow, type Decision } from "../resource/decision";
import { changedByTable, withEffect } from "../resource/inputTable";
import { isUnknown } from "../messages/unknown";
import { STATIC_EXPORT_INPUTS, type CheckedInputs, type StaticExportInputs } from "./inputs";
import { inputsOf, phaseOf, recordedState, wasAfter, type JobPhase, type StaticExportState } from "./state";

/** The single action that converges the state to the inputs, and its reason. */
export type Plan = Decision &
  (
    | /** Start a new job, unless a record names a job that was started for the same content. */
      { readonly action: "start"; readonly code: "NEW" | "NEW_CONTENT" | "STARTED_AGAIN" }
      /** Wait for this job, then mint a link. */
    | { readonly action: "continue"; readonly code: "ADOPTED" | "RESUMED"; readonly job: JobPhase }
    /** Mint a new link to the job of this state. */
    | { readonly action: "renew"; readonly code: "RENEW_WINDOW"; readonly state: StaticExportState }
    /** Store the inputs in this state, without a request. */
    | {
        readonly action: "record";
        readonly code: "SETTINGS" | "UP_TO_DATE";
        readonly state: StaticExportState;
      }
  );

/**
 * Decides about the action without performing it. Previews and updates both use it, so an update does what its preview
 * showed.
 *
 * @param state `undefined` for a resource that does not exist yet
 * @param nowMs the service's time: milliseconds since 1970
 */
export function planExport(inputs: CheckedInputs, state: StaticExportState | undefined, nowMs: number): Plan {
  if (!state)
    return inputs.jobId === undefined
      ? start("NEW", "this is the first export, so a job is started")
      : adopt(inputs.jobId);

  const { outputs, bookkeeping } = state;
  const { unfinished } = bookkeeping;
  const changed = changedInputs(inputs, state);
  const content = withEffect(STATIC_EXPORT_INPUTS, changed, "content");
  const wanted = (): Plan => {
    if (inputs.jobId !== undefined) return adopt(inputs.jobId);
    return content.length > 0
      ? start("NEW_CONTENT", `${content.join(" and ")} changed, so the site is exported again`)
      : start("STARTED_AGAIN", "the last export did not complete, so a new job is started");
  };
  if (unfinished && wasAfter(unfinished, inputs)) {
    const job = phaseOf(unfinished);
    if (job.kind === "lost") return wanted();
    const text = `job ${job.jobId} of an earlier run is continued; no job is started`;
    return { action: "continue", code: "RESUMED", text, job };
  }
  if (outputs.bundleUrl === undefined) return wanted();
  if (inputs.jobId === undefined ? content.length > 0 : inputs.jobId !== outputs.jobId) return wanted();
  // a renewBefore that is longer than before may make the link due at once
  const isMoved = changed.includes("renewBefore") && !isUnknown(inputs.renewBefore);
  const next = isMoved ? recordedState(inputs, state) : state;
  const due = whenDue(next, nowMs);
  const { renewAfter } = next.outputs;
  if (renewAfter !== undefined && nowMs >= Date.parse(renewAfter)) {
    return { action: "renew", code: "RENEW_WINDOW", text: due, state };
  }
  if (changed.length === 0) return { action: "record", code: "UP_TO_DATE", text: due, state };
  if (renewAfter === undefined) {
    const text = `${changed.join(" and ")} changed; ${due}`;
    return { action: "renew", code: "RENEW_WINDOW", text, state };
  }
  return {
    action: "record",
    code: "SETTINGS",
    text: `${changed.join(" and ")} changed: recorded without a request; ${due}`,
    state,
  };
}

/** The names of the inputs that changed since the outputs were made. */
export function changedInputs(inputs: CheckedInputs, state: StaticExportState): (keyof StaticExportInputs)[] {
  return changedByTable<StaticExportInputs>(STATIC_EXPORT_INPUTS, inputs, inputsOf(state));
}

function start(code: "NEW" | "NEW_CONTENT" | "STARTED_AGAIN", text: string): Plan {
  return { action: "start", code, text };
}

function adopt(jobId: string): Plan {
  const text = `${isUnknown(jobId) ? "the job" : `job ${jobId}`} is adopted; no job is started`;
  return { action: "continue", code: "ADOPTED", text, job: { kind: "running", jobId } };
}

/** When the link is, or was, due for renewal. */
function whenDue({ outputs: { jobId, expiresAt, renewAfter } }: StaticExportState, nowMs: number): string {
  if (expiresAt === undefined || renewAfter === undefined) {
    return `the service does not say when the link to job ${jobId} expires, so it is renewed only when an input changes`;
  }
  const due = `${renewAfter} (${fromNow(Date.parse(renewAfter), nowMs)})`;
  const end = `${expiresAt} (${fromNow(Date.parse(expiresAt), nowMs)})`;
  return nowMs < Date.parse(renewAfter)
    ? `the link to job ${jobId} is valid; its next renewal is due from ${due} on`
    : `the link to job ${jobId} is due for renewal since ${due}; it ends ${end}`;
}
