import { UnreadableStartError } from "../base/runtime/messages/errors";
import { isUnknown, UNKNOWN } from "../base/runtime/messages/plainText";
import type { Machine } from "../base/runtime/time/clock";
import { type Decision, type DecisionCode, fromNow } from "../resource/decision";
import { changedByTable, withEffect } from "../resource/inputTable";
import { rowsThat, unknownOutputs } from "../resource/outputTable";
import { UNREAD_REMEDY } from "../service/exportJob";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS, type StaticExportInputs } from "./inputs";
import { STATIC_EXPORT_OUTPUTS } from "./outputs";
import {
  exportInputsOf,
  hadLink,
  hasSameIntent,
  jobOf,
  type KnownJob,
  recordedState,
  serviceTimeOf,
  type StaticExportState,
  withUsableLink,
} from "./state";

/** The single action that converges the state to the inputs, and its reason. */
export type ExportPlan = Decision &
  (
    | /** Send nothing: a start was accepted whose job cannot be found. */
      {
        readonly action: "refuse";
      } /** Start a new job, unless a record names a job that was started for the same content. */
    | { readonly action: "start" }
    /** Wait for this job, then mint a link. */
    | { readonly action: "continue"; readonly job: KnownJob }
    /** Mint a new link to the job of this state; or store the inputs in it, without a request. */
    | { readonly action: "renew" | "record"; readonly state: StaticExportState }
  );

/**
 * Decides about the action without performing it. Previews and updates both use it, so an update does what its preview
 * showed.
 *
 * @param stored `undefined` for a resource that does not exist yet
 * @param nowMs the service's time: milliseconds since 1970
 */
export function planExport(
  inputs: CheckedExportInputs,
  stored: StaticExportState | undefined,
  nowMs: number,
): ExportPlan {
  if (!stored) {
    return inputs.jobId === undefined
      ? start("NEW", "this is the first export, so a job is started")
      : adopt(inputs.jobId);
  }

  const state = withUsableLink(stored);
  const { outputs, bookkeeping } = state;
  const { unfinished } = bookkeeping;
  const changed = changedExportInputs(inputs, state);
  const content = withEffect(STATIC_EXPORT_INPUTS, changed, "content");
  const wanted = (): ExportPlan => {
    if (inputs.jobId !== undefined) return adopt(inputs.jobId);
    return content.length > 0
      ? start("NEW_CONTENT", `${content.join(" and ")} changed, so the site is exported again`)
      : start("STARTED_AGAIN", "the last export did not complete, so a new job is started");
  };
  if (unfinished && hasSameIntent(unfinished, inputs)) {
    if (unfinished.isUnread === true) return { action: "refuse", code: "JOB_UNKNOWN", text: UNREAD };
    const job = jobOf(unfinished);
    if (!job) return wanted();
    const text = `job ${job.jobId} of an earlier run is continued; no job is started`;
    return { action: "continue", code: "RESUMED", text, job };
  }
  if (outputs.bundleUrl === undefined && !hadLink(stored)) return wanted();
  // the content of an import is that of the program: only its job was known
  const isTaken = bookkeeping.isImported === true && inputs.jobId === undefined && content.length > 0;
  const isOther =
    inputs.jobId === undefined ? content.length > 0 && !isTaken : inputs.jobId !== outputs.jobId;
  if (isOther) return wanted();
  if (outputs.bundleUrl === undefined) {
    const text = `the state has no valid link to job ${outputs.jobId}, or no valid date of it, so the link is renewed; no job is started`;
    return { action: "renew", code: "RENEW_WINDOW", text, state };
  }
  // a renewBefore that is longer than before may make the link due at once
  const isMoved = changed.includes("renewBefore") && !isUnknown(inputs.renewBefore);
  const next = isMoved ? recordedState(inputs, state) : state;
  const due = whenDue(next, nowMs);
  const { renewAfter } = next.outputs;
  if (renewAfter !== undefined && nowMs >= Date.parse(renewAfter)) {
    return { action: "renew", code: "RENEW_WINDOW", text: due, state };
  }
  if (changed.length === 0) return { action: "record", code: "UP_TO_DATE", text: due, state };
  const changes = `${changed.join(" and ")} changed`;
  if (renewAfter === undefined) {
    return { action: "renew", code: "RENEW_WINDOW", text: `${changes}; ${due}`, state };
  }
  if (isTaken) {
    const text = `job ${outputs.jobId} was imported, so it counts as the export of ${content.join(" and ")}: recorded without a request; ${due}`;
    return { action: "record", code: "ADOPTED", text, state };
  }
  const text = `${changes}: recorded without a request; ${due}`;
  return { action: "record", code: "SETTINGS", text, state };
}

/** The error of a start that is not repeated, because an earlier one was accepted without a usable id. */
export function unreadStart(): UnreadableStartError {
  return new UnreadableStartError(UNREAD, UNREAD_REMEDY);
}

const UNREAD =
  "an earlier run started an export, but the reply had no usable jobId: that job may run, so no request is sent and no job is started";

/** What a new link changes. */
const OF_LINK = unknownOutputs(rowsThat("isRenewed", STATIC_EXPORT_OUTPUTS));

/** The outputs that `converge` will return, as far as the plan determines them. Whatever a job or a link decides is `UNKNOWN`. */
export function predictExport(
  inputs: CheckedExportInputs,
  state: StaticExportState | undefined,
  machine: Machine,
): Readonly<Record<string, unknown>> {
  const plan = planExport(inputs, state, serviceTimeOf(state, machine));
  if ("state" in plan) {
    const { outputs } = recordedState(inputs, plan.state);
    if (plan.action === "renew") return { ...outputs, status: "completed", ...OF_LINK };
    // a window that is not known yet may make the link due
    return { ...outputs, ...(isUnknown(inputs.renewBefore) && OF_LINK) };
  }
  // the job of an earlier run may be gone, so only a job that the user names is certain
  const jobId = inputs.jobId ?? UNKNOWN;
  const known = { jobId, version: inputs.version ?? jobId, status: "completed" };
  return { ...inputs, ...unknownOutputs(STATIC_EXPORT_OUTPUTS), ...known };
}

/** The names of the inputs that changed since the outputs were made. */
export function changedExportInputs(
  inputs: CheckedExportInputs,
  state: StaticExportState,
): (keyof StaticExportInputs)[] {
  return changedByTable<StaticExportInputs>(STATIC_EXPORT_INPUTS, inputs, exportInputsOf(state));
}

function start(code: DecisionCode, text: string): ExportPlan {
  return { action: "start", code, text };
}

function adopt(jobId: string): ExportPlan {
  const text = isUnknown(jobId)
    ? "the job is not known yet: once it is, it is adopted if it is of this site; no job is started"
    : `job ${jobId} is adopted if the service has it for this site; no job is started`;
  return { action: "continue", code: "ADOPTED", text, job: { jobId } };
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
