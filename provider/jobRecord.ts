import type { Context } from "./context";
import { intentOf } from "./staticExportState";
import type { CheckedInputs } from "./staticExportInputs";

/** The resume record of one resource and the content that is wanted of it. */
export interface JobRecord {
  /** The job that an earlier run started and did not live to keep. */
  find(): string | undefined;
  save(jobId: string): void;
  /** The job is part of the state that is about to be returned. */
  handOver(): void;
  /** The job is of no use any more. */
  forget(): void;
}

/** Without a URN nothing is remembered: two resources could not be told apart. */
export function jobRecord(
  { resumeRecords, urn, reporter }: Pick<Context, "resumeRecords" | "urn" | "reporter">,
  inputs: CheckedInputs,
): JobRecord {
  const nothing = (): undefined => undefined;
  if (urn === undefined) return { find: nothing, save: nothing, handOver: nothing, forget: nothing };
  const resource = { urn, baseUrl: inputs.baseUrl, domain: inputs.domain };
  const intent = intentOf(inputs);
  return {
    find: () => resumeRecords.find(resource, intent),
    save: (jobId) => {
      const problem = resumeRecords.save(resource, intent, jobId);
      if (problem === undefined) return;
      reporter.warn(
        `job ${jobId} could not be noted in Pulumi's home folder (${problem}): if this run is killed, the next one starts another job`,
      );
    },
    handOver: () => {
      resumeRecords.handOver(resource);
    },
    forget: () => {
      resumeRecords.forget(resource);
    },
  };
}
