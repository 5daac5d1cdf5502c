import { ExportFailedError, InputError, NotFoundError, NotReadyError } from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import type { Context } from "../resource/context";
import { checkedByTable, type InputTable } from "../resource/inputTable";
import { type Imported, openClient, READ_LIMIT_MS } from "../resource/lifeCycle";
import type { ConfigurationSource } from "../service/configuration";
import type { ExportJob } from "../service/exportJob";
import { mintLink } from "../service/mintLink";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS } from "./inputs";
import { reportedState, stateWithoutLink, type StaticExportState } from "./state";
import { findJob } from "./workflow";

/**
 * Takes the export of a job under management: reads the job, and mints a link to its bundle, as for the input `jobId`.
 *
 * @param id `docs.example.com/<jobId>`
 */
export async function importExport(
  context: Context,
  id: string,
): Promise<Imported<CheckedExportInputs, StaticExportState>> {
  const given = jobOfId(id);
  if (given.jobId === undefined) {
    throw new InputError(
      `${id}: cannot be imported without a job: the service cannot list the jobs of a site. Write the id as DOMAIN/JOB, such as ${id}/7f3a`,
      "",
    );
  }
  const what = `${id}: cannot be imported`;
  const inputs = checkedByTable(OF_JOB, given, context.configuration, what);
  const { domain, jobId } = inputs;
  context.tracer.note({ "docs_hosting.domain": domain, "docs_hosting.job.id": jobId });
  try {
    const service = openClient(context, inputs, READ_LIMIT_MS);
    const job = await findJob(jobId, { domain, mayBeNew: false }, service);
    refuseUnlessCompleted(job);
    const link = await mintLink(jobId, domain, service);
    const state = reportedState(service, inputs, { jobId, report: job.report, link });
    const bookkeeping = { ...state.bookkeeping, exportedAtMs: link.mintedAtMs, isImported: true };
    return { inputs: { domain, jobId }, state: { ...state, bookkeeping } };
  } catch (error) {
    if (error instanceof NotFoundError) {
      const remedy = "Check the domain, the job and the account.";
      throw error.withMessage(`${id}: the service has no such job. ${remedy}`, remedy);
    }
    throw explained(error, id, "Nothing was imported");
  }
}

function refuseUnlessCompleted({ outcome, status, reason }: ExportJob): void {
  if (outcome === "failure") {
    const why = reason === undefined ? "and the service gave no reason" : `the service says: ${reason}`;
    throw new ExportFailedError(
      `the job ${status === "failed" ? status : `ended as "${status}"`}: ${why}`,
      "Import another job.",
    );
  }
  if (outcome === "pending") {
    throw new NotReadyError(`the job is not completed yet: ${status}`, "Import it once it is.", {
      status: 409,
    });
  }
}

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
  const what = `${domain}: cannot be looked up`;
  const inputs = checkedByTable(OF_JOB, { ...given, ...ofId, domain }, configuration, what);
  return stateWithoutLink(inputs, inputs.jobId, "");
}

/** Without a job, there is nothing to look up or to import. */
const OF_JOB: InputTable<CheckedExportInputs & { jobId: string }> = {
  ...STATIC_EXPORT_INPUTS,
  jobId: { ...STATIC_EXPORT_INPUTS.jobId, required: "the service cannot list the jobs of a site" },
};

/** The parts of `docs.example.com/<jobId>`. A domain has no slash, so the first one ends it. */
function jobOfId(id: string): { domain: string; jobId?: string } {
  const slash = id.indexOf("/");
  return slash < 0 ? { domain: id } : { domain: id.slice(0, slash), jobId: id.slice(slash + 1) };
}
