import type { BundleLink } from "../service/bundleLink";
import { linkTimes, renewalWindow, type LinkTimes, type RenewalWindow } from "../service/renewalWindow";
import { parseDuration } from "../time/duration";
import { salted } from "../resource/salt";
import { serviceTimeMs, type ClockError, type Machine } from "../time/serviceClock";
import { inputNames, inputsAmong } from "../resource/inputTable";
import { STATIC_EXPORT_INPUTS, type CheckedInputs, type StaticExportInputs } from "./inputs";
import { intentOf } from "./intent";

/** The outputs of a static export: all inputs, and what the service said. The one source of their names and effects. */
export interface StaticExportOutputs extends Omit<CheckedInputs, "version" | "jobId"> {
  /** The input of that name, or the id of the job. */
  version: string;
  /** The job that the link belongs to. */
  jobId: string;
  /** Status of that job as the service wrote it, in lower case: `completed` once the resource is created. */
  status: string;
  /** Pages of the export. Absent when the service does not say. */
  pageCount?: number;
  /** Presigned link to the bundle. A credential until it expires: always a secret. */
  bundleUrl?: string;
  /** Size of the bundle in bytes. Absent when the service does not say. */
  bundleSize?: number;
  /** When the link stops working, ISO 8601. Absent when the service does not say. */
  expiresAt?: string;
  /** From then on the next `pulumi up` renews the link, ISO 8601. Absent when `expiresAt` is. */
  renewAfter?: string;
}

/** The outputs that are not the inputs of that name: a state is made of all of them, so that none is forgotten. */
type OwnOutputs = {
  [Name in Exclude<keyof StaticExportOutputs, keyof CheckedInputs | keyof LinkTimes> | "jobId" | "version"]:
    StaticExportOutputs[Name] | undefined;
} & LinkTimes;

/** Inputs whose output has a value also where they are not given. */
const FILLED_IN = inputNames(STATIC_EXPORT_INPUTS).filter((name) => STATIC_EXPORT_INPUTS[name].filledIn);

/** How far a job is known to have come. */
export type JobPhase =
  | { readonly kind: "running"; readonly jobId: string }
  | {
      readonly kind: "completed";
      readonly jobId: string;
      /** Absent when the service did not say. */
      readonly pageCount?: number | undefined;
    };

/** What an interrupted operation was after, and how far it came. */
export interface Unfinished {
  /** See {@link intentOf}, {@link salted}. */
  intent: string;
  /** Absent in states of earlier releases. */
  salt?: string | undefined;
  /** Absent when it came to nothing. */
  jobId?: string | undefined;
  /** Only the link is missing. */
  completed: boolean;
  /** Pages of a completed job, when the service said so. */
  pageCount?: number | undefined;
}

/** What is remembered beside the outputs, and shown to nobody. */
export interface Bookkeeping {
  /** Which of the outputs that have a default were given as inputs. */
  given: (keyof StaticExportInputs)[];
  /** When the link was minted, by the service's clock: milliseconds since 1970. */
  mintedAtMs?: number | undefined;
  /** How wrong this machine's clock was at the last contact with the service; absent when it was right. */
  clockError?: ClockError | undefined;
  unfinished?: Unfinished | undefined;
}

/** All that is kept of a static export between two operations. */
export interface StaticExportState {
  /** Complete, or, while the very first export is unfinished, without a link. */
  outputs: StaticExportOutputs;
  bookkeeping: Bookkeeping;
}

/** How far an interrupted operation came: to a job, or, where that job is over, to nothing. */
export function phaseOf({ jobId, completed, pageCount }: Unfinished): JobPhase | { kind: "lost" } {
  if (jobId === undefined) return { kind: "lost" };
  return completed ? { kind: "completed", jobId, pageCount } : { kind: "running", jobId };
}

/** The service's time, which nothing in the state can be ahead of: milliseconds since 1970. */
export function serviceTimeOf(state: StaticExportState | undefined, machine: Machine): number {
  const { clockError, mintedAtMs } = state?.bookkeeping ?? {};
  return serviceTimeMs(machine, clockError, mintedAtMs ?? 0);
}

/**
 * The state after a completed export or a renewed link.
 *
 * @param same outputs of the same job: what this reply does not tell anew
 */
export function finishedState(
  inputs: CheckedInputs,
  done: { jobId: string; pageCount?: number | undefined; link: BundleLink },
  clockError: ClockError | undefined,
  same?: StaticExportOutputs,
): StaticExportState {
  const { link, jobId, pageCount } = done;
  return {
    outputs: outputsOf(inputs, {
      jobId,
      version: inputs.version ?? jobId,
      status: "completed",
      pageCount: pageCount ?? same?.pageCount,
      bundleUrl: link.url,
      bundleSize: link.sizeBytes ?? same?.bundleSize,
      ...linkTimes(link, renewBeforeMs(inputs)),
    }),
    bookkeeping: {
      given: givenOf(inputs),
      mintedAtMs: link.mintedAtMs,
      clockError,
    },
  };
}

/** The state after a change of inputs that needs no request. */
export function recordedState(inputs: CheckedInputs, before: StaticExportState): StaticExportState {
  const { outputs, bookkeeping } = before;
  const { jobId, status, pageCount, bundleUrl, bundleSize } = outputs;
  return {
    outputs: outputsOf(inputs, {
      jobId,
      version: inputs.version ?? jobId,
      status,
      pageCount,
      bundleUrl,
      bundleSize,
      ...linkTimes(linkOf(before), renewBeforeMs(inputs)),
    }),
    bookkeeping: {
      given: givenOf(inputs),
      mintedAtMs: bookkeeping.mintedAtMs,
      clockError: bookkeeping.clockError,
      ...stillUnfinished(inputs, before),
    },
  };
}

function outputsOf(inputs: CheckedInputs, own: OwnOutputs): StaticExportOutputs {
  const known = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...inputs, ...(Object.fromEntries(known) as Pick<StaticExportOutputs, keyof OwnOutputs>) };
}

/** What was begun for other content waits until that is wanted again; a job that is given ends the wait. */
export function stillUnfinished(
  { jobId }: StaticExportInputs,
  { bookkeeping: { unfinished } }: StaticExportState,
): Pick<Bookkeeping, "unfinished"> {
  return unfinished && jobId === undefined ? { unfinished } : {};
}

/** The state after an interruption: what was there before stays, and the job that was begun is remembered. */
export function unfinishedState(
  inputs: CheckedInputs,
  phase: JobPhase | { kind: "lost" },
  before: StaticExportState | undefined,
  salt: string | undefined,
): StaticExportState {
  const unfinished: Unfinished = {
    intent: salted(intentOf(inputs), salt),
    ...(salt !== undefined && { salt }),
    completed: phase.kind === "completed",
    ...(phase.kind !== "lost" && { jobId: phase.jobId }),
    ...(phase.kind === "completed" && { pageCount: phase.pageCount }),
  };
  if (before) return { outputs: before.outputs, bookkeeping: { ...before.bookkeeping, unfinished } };
  const jobId = unfinished.jobId ?? "";
  return {
    outputs: { ...inputs, jobId, version: inputs.version ?? jobId, status: "running" },
    bookkeeping: { given: givenOf(inputs), unfinished },
  };
}

/** Whether an interrupted operation was after the content that is wanted now. */
export function wasAfter(unfinished: Unfinished | undefined, inputs: StaticExportInputs): boolean {
  return unfinished !== undefined && unfinished.intent === salted(intentOf(inputs), unfinished.salt);
}

function givenOf(inputs: StaticExportInputs): Bookkeeping["given"] {
  return FILLED_IN.filter((name) => inputs[name] !== undefined);
}

/** The inputs that a state was made from. */
export function inputsOf({ outputs, bookkeeping }: StaticExportState): CheckedInputs {
  const notGiven = FILLED_IN.filter((name) => !bookkeeping.given.includes(name));
  const absent = Object.fromEntries(notGiven.map((name) => [name, undefined]));
  return inputsAmong<CheckedInputs>(STATIC_EXPORT_INPUTS, { ...outputs, ...absent });
}

/** How long before its end the link of a state is renewed; `undefined` when nobody knows its end. */
export function renewalWindowOf(
  inputs: StaticExportInputs,
  state: StaticExportState,
): RenewalWindow | undefined {
  return renewalWindow(linkOf(state), renewBeforeMs(inputs));
}

function linkOf({ outputs: { expiresAt }, bookkeeping }: StaticExportState): Omit<BundleLink, "url"> {
  return {
    mintedAtMs: bookkeeping.mintedAtMs ?? 0,
    ...(expiresAt !== undefined && { expiresAtMs: Date.parse(expiresAt) }),
  };
}

function renewBeforeMs({ renewBefore = "" }: StaticExportInputs): number | undefined {
  return parseDuration(renewBefore);
}

/** What a job that is only looked up (`StaticExport.get`) is known by; nothing was ever done to it. */
export function lookUpState(inputs: CheckedInputs, jobId: string): StaticExportState {
  return {
    outputs: { ...inputs, jobId, version: inputs.version ?? jobId, status: "" },
    bookkeeping: { given: givenOf(inputs) },
  };
}
