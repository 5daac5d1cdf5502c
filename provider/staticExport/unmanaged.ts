import { checkByTable } from "../resource/inputTable";
import type { ConfigurationSource } from "../service/configuration";
import { InputError, NotFoundError } from "../messages/errors";
import { STATIC_EXPORT_INPUTS, type CheckedInputs } from "./inputs";
import { stateWithoutLink, type StaticExportState } from "./state";

/**
 * The state of an export before `StaticExport.get` reads it. Pulumi calls no check before a read, so this function applies
 * the rules for inputs.
 *
 * @param id the domain, or `DOMAIN/JOB`
 * @throws InputError that names each wrong or missing property
 */
export function stateToLookUp(
  id: string,
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): StaticExportState {
  const { domain, ...ofId } = jobOfId(id);
  const { inputs, failures } = checkByTable<CheckedInputs>(
    STATIC_EXPORT_INPUTS,
    { ...given, ...ofId, domain },
    configuration,
  );
  if (inputs.jobId === undefined && !failures.some(({ property }) => property === "jobId")) {
    failures.push({
      property: "jobId",
      reason: "is required to look up an export: the service cannot list the jobs of a site",
    });
  }
  if (failures.length > 0 || inputs.jobId === undefined) {
    const reasons = failures.map(({ property, reason }) => `${property} ${reason}`);
    throw new InputError(`${domain}: cannot be looked up: ${reasons.join("; ")}`, "");
  }
  return stateWithoutLink(inputs, inputs.jobId, "");
}

/** The parts of `docs.example.com/<jobId>`. A domain has no slash, so the first one ends it. */
export function jobOfId(id: string): { domain: string; jobId?: string } {
  const slash = id.indexOf("/");
  return slash < 0 ? { domain: id } : { domain: id.slice(0, slash), jobId: id.slice(slash + 1) };
}

/** The error if the service does not know the job. */
export function noSuchJob({ outputs: { domain, jobId, baseUrl } }: StaticExportState): NotFoundError {
  const remedy = "Check the jobId and the account.";
  const message = `${domain}: there is no job ${jobId} at ${baseUrl}. ${remedy}`;
  return new NotFoundError(message, remedy, { status: 404 });
}
