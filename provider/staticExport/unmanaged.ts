import { checkByTable } from "../resource/inputTable";
import type { ConfigurationSource } from "../service/configuration";
import { InputError, NotFoundError } from "../messages/errors";
import { STATIC_EXPORT_INPUTS, type CheckedInputs } from "./inputs";
import { lookUpState, type StaticExportState } from "./state";

/**
 * The state of an export before `StaticExport.get` reads it. Pulumi calls no check before a read, so this function applies
 * the rules for inputs.
 *
 * @param domain the resource's id
 * @throws InputError that names each wrong or missing property
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

/** The error if the service does not know the job. */
export function noSuchJob({ outputs: { domain, jobId, baseUrl } }: StaticExportState): NotFoundError {
  const remedy = "Check the jobId and the account.";
  const message = `${domain}: there is no job ${jobId} at ${baseUrl}. ${remedy}`;
  return new NotFoundError(message, remedy, { status: 404 });
}
