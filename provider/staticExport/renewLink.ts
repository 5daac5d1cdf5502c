import { DeadlineExceededError, NotFoundError } from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import { machineOf } from "../base/runtime/time/clock";
import { parseDuration } from "../base/runtime/time/duration";
import type { Context } from "../resource/context";
import { fromNow } from "../resource/decision";
import { openClientFor } from "../resource/lifeCycle";
import { mintLink } from "../service/mintLink";
import type { CheckedExportInputs } from "./inputs";
import { reportGoneJob } from "./resumption";
import { reportedState, serviceTimeOf, type StaticExportState, stillUnfinished } from "./state";
import { isMissing } from "./workflow";

/** Time limit of a renewal, unless `renewalTimeout` sets one, in milliseconds. */
const DEFAULT_RENEWAL_LIMIT_MS = 5 * 60_000;

const OLD_LINK = "The old link stays in place";

/**
 * Mints a new link to the same job. Its time limit is short, to release what the run blocks during an outage.
 *
 * @param limitMs of the update, in milliseconds: the limit of the renewal if it is shorter
 * @returns `undefined` if the service no longer has the job and `jobId` is not given: then another job must be started
 * @throws DocsHostingError
 */
export async function renewLink(
  given: Context,
  inputs: CheckedExportInputs,
  before: StaticExportState,
  limitMs: number,
): Promise<StaticExportState | undefined> {
  const { jobId } = before.outputs;
  const renewalMs = parseDuration(inputs.renewalTimeout ?? "") ?? DEFAULT_RENEWAL_LIMIT_MS;
  const shortest = Math.min(limitMs, renewalMs);
  const context = openClientFor(given, inputs, shortest, inputs.domain, OLD_LINK);
  const { reporter, tracer } = context;
  tracer.note({ "docs_hosting.job.id": jobId });
  try {
    reporter.progress("renewing the link");
    const link = await tracer.span("docs_hosting.link.renew", {}, () =>
      mintLink(jobId, inputs.domain, context),
    );
    const renewed = reportedState(context, inputs, { jobId, report: {}, link }, before.outputs);
    const { exportedAtMs } = before.bookkeeping;
    return {
      ...renewed,
      bookkeeping: {
        ...renewed.bookkeeping,
        ...(exportedAtMs !== undefined && { exportedAtMs }),
        ...stillUnfinished(inputs, before),
      },
    };
  } catch (error) {
    if (error instanceof DeadlineExceededError) {
      throw notInTime(error, before, serviceTimeOf(before, machineOf(context)));
    }
    const mayBeGone = error instanceof NotFoundError && inputs.jobId === undefined;
    if (!mayBeGone || !(error.isOfApi || (await isMissing("bundle", jobId, inputs, context)))) {
      throw explained(error, inputs.domain, OLD_LINK);
    }
    reportGoneJob(context, jobId);
    return undefined;
  }
}

function notInTime(error: DeadlineExceededError, { outputs }: StaticExportState, nowMs: number): Error {
  const { domain, jobId, expiresAt } = outputs;
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
