import { randomUUID } from "node:crypto";
import type { Context } from "../resource/context";
import { decisionLine } from "../resource/decision";
import { intentOf } from "./intent";
import type { CheckedInputs } from "./inputs";

/** See {@link resumptionOf}. */
export type Resumption = ReturnType<typeof resumptionOf>;

/**
 * The resume record of one resource and the content that is wanted of it. Without a URN nothing is remembered: two resources
 * could not be told apart.
 */
export function resumptionOf(
  context: Pick<Context, "resumeRecords" | "urn" | "reporter">,
  inputs: CheckedInputs,
) {
  const { baseUrl, domain } = inputs;
  const { urn = "", reporter } = context;
  const records = urn === "" ? undefined : context.resumeRecords;
  const resource = { urn, baseUrl, domain };
  const intent = intentOf(inputs);
  return {
    /** The job that an earlier run started and did not live to keep. */
    find: () => records?.find(resource, intent),

    save(jobId: string): void {
      const problem = records?.save(resource, intent, jobId);
      if (problem === undefined) return;
      reporter.warn(
        `job ${jobId} could not be noted in Pulumi's home folder (${problem}): if this run is killed, the next one starts another job`,
      );
    },

    /**
     * The idempotency key of the start that is about to be sent: that of an earlier one whose reply never came, so that a
     * service which knows such keys starts no second job; else a new one.
     */
    beginStart(): string {
      const known = records?.findStart(resource, intent);
      if (known !== undefined) return known;
      const key = randomUUID();
      records?.saveStart(resource, intent, key);
      return key;
    },

    /** The service refused the start: nothing was begun. */
    startRefused: () => records?.forgetStart(resource, intent),

    /** The job is part of the state that is about to be returned. */
    handOver: () => records?.handOver(resource),

    /** The job is of no use any more. */
    forget: () => records?.forget(resource),
  };
}

/** What was noted of a resource before it was renamed is found under its new name from now on. */
export function renameRecords(
  { resumeRecords, urn, formerUrn }: Pick<Context, "resumeRecords" | "urn" | "formerUrn">,
  { baseUrl, domain }: CheckedInputs,
): void {
  if (urn !== undefined && formerUrn !== undefined) {
    resumeRecords.rename({ urn: formerUrn, baseUrl, domain }, urn);
  }
}

/** Tells why there will be another job, and makes sure that this one is not found again. */
export function jobIsGone(
  context: Pick<Context, "resumeRecords" | "urn" | "reporter" | "tracer">,
  inputs: CheckedInputs,
  jobId: string,
): void {
  const text = `the service does not have job ${jobId} any more: exporting again`;
  context.reporter.warn(decisionLine({ because: "JOB_GONE", text }));
  context.tracer.note({ "docs_hosting.decision": "JOB_GONE", "docs_hosting.job.id": undefined });
  const resumption = resumptionOf(context, inputs);
  if (resumption.find() === jobId) resumption.forget();
}
