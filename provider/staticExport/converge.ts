import { decisionLine, fromNow } from "../resource/decision";
import type { Context } from "../resource/context";
import { openClient, type ServiceContext } from "../resource/openClient";
import { mintLink } from "../service/mintLink";
import { parseDuration } from "../time/duration";
import { clockErrorOf, machineOf } from "../time/serviceClock";
import { DeadlineExceededError, NotFoundError } from "../messages/errors";
import { explained } from "../messages/explainedError";
import { exportSite } from "./exportSite";
import type { CheckedInputs } from "./inputs";
import { planExport } from "./plan";
import { jobIsGone, renameRecords } from "./resumption";
import { warnOfShortLife } from "./shortLife";
import {
  finishedState,
  recordedState,
  serviceTimeOf,
  stillUnfinished,
  type StaticExportState,
} from "./state";

/** Time limit of a run that only renews a link, unless `renewalTimeout` sets one, in milliseconds. */
const DEFAULT_RENEWAL_LIMIT_MS = 5 * 60_000;

/**
 * Converges an export to its inputs, from any state. Create starts without a state.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedError if there is progress to store; otherwise an Error, and the state stays unchanged
 */
export async function converge(
  context: Context,
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  limitMs: number,
): Promise<StaticExportState> {
  renameRecords(context, inputs);
  const plan = planExport(inputs, state, serviceTimeOf(state, machineOf(context)));
  context.tracer.note({ "docs_hosting.domain": inputs.domain, "docs_hosting.decision": plan.because });
  switch (plan.action) {
    case "record":
      return record(context, inputs, plan.state);
    case "renew": {
      const renewal = openClient(context, inputs, Math.min(limitMs, renewalLimitMs(inputs)));
      const renewed = await renew(renewal, inputs, plan.state);
      if (renewed) return renewed;
      const service = openClient(context, inputs, limitMs - renewal.deadline.elapsedMs());
      return exportSite(service, inputs, plan.state, undefined);
    }
    case "start":
    case "continue": {
      const service = openClient(context, inputs, limitMs);
      // for an existing resource, diff has reported the decision
      if (!state) context.reporter.info(decisionLine(plan));
      return exportSite(service, inputs, state, plan.action === "continue" ? plan.job : undefined);
    }
  }
}

function record(context: Context, inputs: CheckedInputs, before: StaticExportState): StaticExportState {
  const recorded = recordedState(inputs, before);
  if (inputs.renewBefore !== before.outputs.renewBefore) warnOfShortLife(context, inputs, recorded);
  return recorded;
}

/** Time limit of a run that only renews a link, in milliseconds: short, to release what the run blocks during an outage. */
function renewalLimitMs({ renewalTimeout }: CheckedInputs): number {
  return (
    (renewalTimeout === undefined ? undefined : parseDuration(renewalTimeout)) ?? DEFAULT_RENEWAL_LIMIT_MS
  );
}

/**
 * Mints a new link to the same job.
 *
 * @returns `undefined` if the service no longer has the job and `jobId` is not given: then another job must be started
 * @throws DocsHostingError
 */
async function renew(
  context: ServiceContext,
  inputs: CheckedInputs,
  before: StaticExportState,
): Promise<StaticExportState | undefined> {
  const { jobId } = before.outputs;
  const { reporter, tracer } = context;
  tracer.note({ "docs_hosting.job.id": jobId });
  try {
    reporter.progress("renewing the link");
    const link = await tracer.span("docs_hosting.link.renew", {}, () =>
      mintLink(jobId, inputs.domain, context),
    );
    const clockError = clockErrorOf(machineOf(context), context.client.clockAheadMs);
    const renewed = finishedState(inputs, { jobId, link }, clockError, before.outputs);
    warnOfShortLife(context, inputs, renewed);
    return { ...renewed, bookkeeping: { ...renewed.bookkeeping, ...stillUnfinished(inputs, before) } };
  } catch (error) {
    if (error instanceof DeadlineExceededError) throw notInTime(error, context, inputs, before);
    if (!(error instanceof NotFoundError) || inputs.jobId !== undefined) {
      throw explained(error, inputs.domain, "The old link stays in place");
    }
    jobIsGone(context, inputs, jobId);
    return undefined;
  }
}

function notInTime(
  error: DeadlineExceededError,
  context: Context,
  { domain }: CheckedInputs,
  before: StaticExportState,
): Error {
  const { jobId, expiresAt } = before.outputs;
  const nowMs = serviceTimeOf(before, machineOf(context));
  const end =
    expiresAt === undefined ? "" : `; the link ends ${expiresAt} (${fromNow(Date.parse(expiresAt), nowMs)})`;
  return explained(
    error.withMessage(
      `the link was not renewed in time: ${error.message}`,
      "The time limit is the input renewalTimeout, or the resource option customTimeouts where that is shorter.",
    ),
    domain,
    `Nothing is lost: the export (job ${jobId}) and its old link stay${end}. The next \`pulumi up\` tries again.`,
  );
}
