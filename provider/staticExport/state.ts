import {
  type Clock,
  type ClockError,
  clockErrorOf,
  type Machine,
  machineOf,
  serviceTimeMs,
} from "../base/runtime/time/clock";
import { formatDuration, parseDuration } from "../base/runtime/time/duration";
import { present } from "../base/runtime/values/fields";
import type { Context } from "../resource/context";
import { inputNames } from "../resource/inputTable";
import type { ServiceContext } from "../resource/lifeCycle";
import { type Every, outputsAmong } from "../resource/outputTable";
import { salted, saltFor } from "../resource/resumeRecords";
import { type BundleLink, isStoredLink, type LinkLife } from "../service/bundleLink";
import { type JobReport, reportAmong } from "../service/exportJob";
import { type LinkTimes, linkTimes, renewalWindow } from "../service/renewalWindow";
import { type CheckedExportInputs, intentOf, STATIC_EXPORT_INPUTS, type StaticExportInputs } from "./inputs";
import type { ExportOwnOutputs, StaticExportOutputs } from "./outputs";

/** Inputs whose output has a value even if the input is not given. */
const FILLED_IN = inputNames(STATIC_EXPORT_INPUTS).filter((name) => STATIC_EXPORT_INPUTS[name].filledIn);

/** A job, as far as it is known. */
export interface KnownJob {
  readonly jobId: string;
  /** Absent until the job is completed. */
  readonly report?: JobReport | undefined;
}

/** A completed export and a link to its bundle. */
export interface FinishedExport extends KnownJob {
  /** Empty if the service was not asked. */
  readonly report: JobReport;
  readonly link: BundleLink;
}

/** The intent of an interrupted operation, and its progress. With the report of a completed job. */
interface Unfinished extends JobReport {
  /** See {@link intentOf}, {@link salted}. */
  intent: string;
  /** Absent if no content was wanted, see {@link saltFor}. */
  salt?: string | undefined;
  /** Absent if the operation has no job to continue. */
  jobId?: string | undefined;
  /** Whether the job is completed and only the link is missing. */
  completed: boolean;
  /** Whether the service accepted a start without a usable id: a job may run that cannot be found, so none is started again. */
  isUnread?: boolean;
}

/** Data stored beside the outputs and not shown to users. */
export interface ExportBookkeeping {
  /** The inputs that were given, among those whose output has a value in any case. */
  given: (keyof StaticExportInputs)[];
  /** When the link was minted, by the service's clock: milliseconds since 1970. */
  mintedAtMs?: number | undefined;
  /** When the job of the content was completed and packed, by the service's clock: milliseconds since 1970. A renewal keeps it. */
  exportedAtMs?: number | undefined;
  /** Whether the export was imported: the program's first inputs are taken as those of its job. */
  isImported?: boolean;
  /** Error of this machine's clock at the last contact with the service. Absent if the clock was right. */
  clockError?: ClockError | undefined;
  unfinished?: Unfinished | undefined;
}

/** The state of a static export between two operations. */
export interface StaticExportState {
  /** Complete; without a link while the first export is unfinished. */
  outputs: StaticExportOutputs;
  bookkeeping: ExportBookkeeping;
}

/**
 * A state as the life cycle uses it: without a link, and without its times, if what is stored in their place is none. The plan
 * then renews the link of a completed export.
 */
export function withUsableLink(state: StaticExportState): StaticExportState {
  if (isStoredLink(state.outputs)) return state;
  const outputs = { ...state.outputs };
  delete outputs.bundleUrl;
  delete outputs.expiresAt;
  delete outputs.renewAfter;
  return { ...state, outputs };
}

/** Whether the export of a state completed, so that a new link to its job can be minted, also if the stored one is none. */
export function hadLink({ outputs: { bundleUrl, jobId, status } }: StaticExportState): boolean {
  return (bundleUrl !== undefined || status === "completed") && typeof jobId === "string" && jobId !== "";
}

/** The job of an interrupted operation. `undefined`: there is none to continue. */
export function jobOf(unfinished: Unfinished): KnownJob | undefined {
  const { jobId, completed } = unfinished;
  return jobId === undefined ? undefined : { jobId, report: completed ? reportAmong(unfinished) : undefined };
}

/** The service's time, never earlier than a time in the state: milliseconds since 1970. */
export function serviceTimeOf(state: StaticExportState | undefined, machine: Machine): number {
  const { clockError, mintedAtMs } = state?.bookkeeping ?? {};
  return serviceTimeMs(machine, clockError, mintedAtMs ?? 0);
}

/**
 * The state after a completed export or a renewed link.
 *
 * @param same earlier outputs of the same job: the values that this reply lacks
 */
export function finishedState(
  inputs: CheckedExportInputs,
  { jobId, report, link }: FinishedExport,
  clockError: ClockError | undefined,
  same?: StaticExportOutputs,
): StaticExportState {
  const known = {
    jobId,
    status: "completed",
    ...(same && reportAmong(same)),
    ...report,
    bundleUrl: link.url,
    bundleSize: link.sizeBytes ?? same?.bundleSize,
  };
  return {
    outputs: outputsOf(inputs, known, link),
    bookkeeping: { given: givenOf(inputs), mintedAtMs: link.mintedAtMs, clockError },
  };
}

/** The same after an operation that had replies of the service. It warns about a window that is too long for the link. */
export function reportedState(
  context: ServiceContext,
  inputs: CheckedExportInputs,
  done: FinishedExport,
  same?: StaticExportOutputs,
): StaticExportState {
  const clockError = clockErrorOf(machineOf(context), context.client.clockAheadMs);
  const state = finishedState(inputs, done, clockError, same);
  warnOfShortLife(context, inputs, state);
  return state;
}

/** The state after a change of inputs that needs no request. */
export function recordedState(inputs: CheckedExportInputs, before: StaticExportState): StaticExportState {
  const { mintedAtMs, exportedAtMs, clockError } = before.bookkeeping;
  return {
    outputs: outputsOf(inputs, before.outputs, lifeOfLink(before)),
    bookkeeping: {
      given: givenOf(inputs),
      mintedAtMs,
      clockError,
      ...(exportedAtMs !== undefined && { exportedAtMs }),
      ...stillUnfinished(inputs, before),
    },
  };
}

function lifeOfLink({ outputs: { expiresAt }, bookkeeping }: StaticExportState): LinkLife {
  const { mintedAtMs = 0 } = bookkeeping;
  return { mintedAtMs, expiresAtMs: expiresAt === undefined ? undefined : Date.parse(expiresAt) };
}

/** The outputs that neither the report nor the link's life decides. */
type OwnFields = Omit<ExportOwnOutputs, keyof JobReport | keyof LinkTimes>;

function outputsOf(
  inputs: CheckedExportInputs,
  known: JobReport & Partial<Every<OwnFields>> & Pick<OwnFields, "jobId" | "status">,
  life: LinkLife,
): StaticExportOutputs {
  const { jobId, status, bundleUrl, bundleSize } = known;
  const kept: Every<OwnFields> = { jobId, version: inputs.version ?? jobId, status, bundleUrl, bundleSize };
  const times = linkTimes(life, parseDuration(inputs.renewBefore ?? ""));
  return { ...inputs, ...present(kept), ...reportAmong(known), ...times };
}

/** An unfinished job for other content stays stored until that content is wanted again, or until `jobId` is given. */
export function stillUnfinished(
  { jobId }: StaticExportInputs,
  { bookkeeping: { unfinished } }: StaticExportState,
): Pick<ExportBookkeeping, "unfinished"> {
  return unfinished && jobId === undefined ? { unfinished } : {};
}

/** The state after a start whose reply has no usable id. */
export function unreadState(
  inputs: CheckedExportInputs,
  before: StaticExportState | undefined,
  clock: Pick<Clock, "random">,
): StaticExportState {
  const { outputs, bookkeeping } = unfinishedState(inputs, undefined, before, clock);
  const { unfinished } = bookkeeping;
  return {
    outputs,
    bookkeeping: { ...bookkeeping, ...(unfinished && { unfinished: { ...unfinished, isUnread: true } }) },
  };
}

/**
 * The state after an interruption: it keeps the earlier outputs and adds the unfinished job.
 *
 * @param job `undefined` if there is none to continue
 */
export function unfinishedState(
  inputs: CheckedExportInputs,
  job: KnownJob | undefined,
  before: StaticExportState | undefined,
  clock: Pick<Clock, "random">,
): StaticExportState {
  const intent = intentOf(inputs);
  const salt = saltFor(intent, clock);
  const unfinished: Unfinished = {
    intent: salted(intent, salt),
    ...(salt !== undefined && { salt }),
    completed: job?.report !== undefined,
    ...(job && { jobId: job.jobId, ...job.report }),
  };
  const { outputs, bookkeeping } = before ?? stateWithoutLink(inputs, unfinished.jobId ?? "", "running");
  return { outputs, bookkeeping: { ...bookkeeping, unfinished } };
}

/** Whether an interrupted operation has the same intent as these inputs. */
export function hasSameIntent(unfinished: Unfinished | undefined, inputs: StaticExportInputs): boolean {
  return unfinished !== undefined && unfinished.intent === salted(intentOf(inputs), unfinished.salt);
}

function givenOf(inputs: StaticExportInputs): ExportBookkeeping["given"] {
  return FILLED_IN.filter((name) => inputs[name] !== undefined);
}

/** The inputs that a state was made from. */
export function exportInputsOf({ outputs, bookkeeping }: StaticExportState): CheckedExportInputs {
  const notGiven = FILLED_IN.filter((name) => !bookkeeping.given.includes(name));
  const absent = Object.fromEntries(notGiven.map((name) => [name, undefined]));
  return outputsAmong<CheckedExportInputs>(STATIC_EXPORT_INPUTS, { ...outputs, ...absent });
}

/** Warns about a `renewBefore` that would renew the link of a state at every run. */
export function warnOfShortLife(
  { reporter }: Pick<Context, "reporter">,
  { renewBefore = "" }: StaticExportInputs,
  state: StaticExportState,
): void {
  const window = renewalWindow(lifeOfLink(state), parseDuration(renewBefore));
  if (!window?.isShortened) return;
  reporter.warn(
    `renewBefore is ${renewBefore}, more than half of the life of the link to job ${state.outputs.jobId}: ` +
      `it is renewed ${formatDuration(window.ms)} before its end`,
  );
}

/** The state of a job before its first result. */
export function stateWithoutLink(
  inputs: CheckedExportInputs,
  jobId: string,
  status: string,
): StaticExportState {
  return {
    outputs: { ...inputs, jobId, version: inputs.version ?? jobId, status },
    bookkeeping: { given: givenOf(inputs) },
  };
}
