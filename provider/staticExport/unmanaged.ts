import { checkByTable } from "../resource/inputTable";
import type { ConfigurationSource } from "../service/configuration";
import { InputError, NotFoundError } from "../messages/errors";
import { STATIC_EXPORT_INPUTS, type CheckedInputs } from "./inputs";
import { lookUpState, type StaticExportState } from "./state";

/**
 * What `StaticExport.get` knows of an export before it is read. No check comes before a read, so the rules for inputs
 * are applied here.
 *
 * @param domain the resource's id
 * @throws InputError that names each property that is wrong or missing
 */
export function stateToLookUp(
  domain: string,
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): StaticExportState {
  const { inputs, failures } = checkByTable<CheckedInputs>(
    STATIC_EXPORT_INPUTS,
    { ...given, domain },
    configuration,
  );
  if (inputs.jobId === undefined && !failures.some(({ property }) => property === "jobId")) {
    failures.push({
      property: "jobId",
      reason: "is needed to look an export up: the service cannot list the jobs of a site",
    });
  }
  if (failures.length > 0 || inputs.jobId === undefined) {
    const reasons = failures.map(({ property, reason }) => `${property} ${reason}`);
    throw new InputError(`${domain}: cannot be looked up: ${reasons.join("; ")}`, "");
  }
  return lookUpState(inputs, inputs.jobId);
}

/** The service does not know the job that was to be looked up. */
export function noSuchJob({ outputs: { domain, jobId, baseUrl } }: StaticExportState): NotFoundError {
  const remedy = "Check the jobId and the account.";
  const message = `${domain}: there is no job ${jobId} at ${baseUrl}. ${remedy}`;
  return new NotFoundError(message, remedy, { status: 404 });
}
