import { randomUUID } from "node:crypto";
import type { Context } from "../resource/context";
import { decisionLine } from "../resource/decision";
import { OTHER_ACCOUNT } from "../resource/lifeCycle";
import type { RecordedStart } from "../resource/resumeRecords";
import { type CheckedExportInputs, intentOf } from "./inputs";

/** The idempotency key of a start. */
interface StartKey {
  readonly idempotencyKey: string;
  /** Whether an earlier run had it, too: a job may have it already, whatever the service answers now. */
  readonly isOfEarlierRun: boolean;
}

/** See {@link resumptionOf}. */
export interface Resumption {
  /**
   * The start that an earlier attempt sent and did not store in the state: that of a killed run, or of this run if Pulumi repeats
   * the operation.
   *
   * @param exportedAtMs when the content of the state was exported: a job that was started before it is older than the state, as in
   *   a cached folder of a pipeline
   */
  find(exportedAtMs?: number): RecordedStart;
  /**
   * The service accepted the start without a usable id. Best effort: the state says so, too, unless the run is killed.
   *
   * @param startedAtMs by the service's clock: milliseconds since 1970
   */
  saveUnread(startedAtMs: number): void;
  /** @param wasCompleted whether the service has said so before */
  save(jobId: string, startedAtMs: number, wasCompleted?: boolean): void;
  /**
   * The idempotency key of the next start. It is the key of an earlier start without a reply, so that a service that supports
   * such keys starts no second job; otherwise a new key.
   */
  beginStart(): StartKey;
  /** The service refused the start: no job was started. */
  startRefused(): void;
  /** The state that is about to be returned contains the job. Those with other content are needed until an export is finished. */
  handOver(job: "finished" | "unfinished"): void;
  /** The job is no longer needed. Those with other content stay. */
  forget(): void;
}

/**
 * The resume record of one resource and its wanted content. Without a URN nothing is recorded, because two resources could
 * not be distinguished.
 */
export function resumptionOf(
  context: Pick<Context, "resumeRecords" | "urn" | "reporter">,
  inputs: CheckedExportInputs,
): Resumption {
  const { baseUrl, domain } = inputs;
  const { urn = "", reporter } = context;
  const records = urn === "" ? undefined : context.resumeRecords;
  const resource = { urn, baseUrl, domain };
  const intent = intentOf(inputs);
  return {
    find(exportedAtMs?: number): RecordedStart {
      const found = records?.find(resource, intent) ?? {};
      return (found.startedAtMs ?? Infinity) < (exportedAtMs ?? -Infinity) ? {} : found;
    },

    saveUnread(startedAtMs: number): void {
      records?.save(resource, intent, { isUnread: true, startedAtMs });
    },

    save(jobId: string, startedAtMs: number, wasCompleted = false): void {
      const start = { jobId, startedAtMs, ...(wasCompleted && { wasCompleted }) };
      const problem = records?.save(resource, intent, start);
      if (problem === undefined) return;
      reporter.warn(
        `job ${jobId} could not be recorded in Pulumi's home folder (${problem}): if this run is killed, the next one starts another job`,
      );
    },

    beginStart(): StartKey {
      const known = records?.find(resource, intent);
      if (known?.idempotencyKey !== undefined) {
        return { idempotencyKey: known.idempotencyKey, isOfEarlierRun: true };
      }
      const idempotencyKey = randomUUID();
      // best effort: without it, the next run has another key. A job that this account does not have stays until there is another one
      records?.save(resource, intent, { ...known, idempotencyKey });
      return { idempotencyKey, isOfEarlierRun: false };
    },

    startRefused: () => records?.forgetStart(resource, intent),

    handOver: (job) => records?.handOver(resource, job === "unfinished" ? intent : undefined),

    forget: () => records?.forgetContent(resource, intent),
  };
}

/** Moves the records of a renamed resource to its new URN. */
export function renameRecords(
  { resumeRecords, urn, formerUrn }: Pick<Context, "resumeRecords" | "urn" | "formerUrn">,
  { baseUrl, domain }: CheckedExportInputs,
): void {
  if (urn !== undefined && formerUrn !== undefined) {
    resumeRecords.rename({ urn: formerUrn, baseUrl, domain }, urn);
  }
}

/**
 * Reports why another job will be started. The records keep this one until the service has started the other: with a key of another
 * account, the service has neither, and the next run with the right key must find it.
 */
export function reportGoneJob(context: Pick<Context, "reporter" | "tracer">, jobId: string): void {
  const text = `the service no longer has job ${jobId}: exporting again. ${OTHER_ACCOUNT}`;
  context.reporter.warn(decisionLine({ code: "JOB_GONE", text }));
  context.tracer.note({ "docs_hosting.decision": "JOB_GONE", "docs_hosting.job.id": undefined });
}
