import { ExportFailedError, NotFoundError, NotReadyError } from "../base/runtime/messages/errors";
import { type Reporter, warningOnce } from "../base/runtime/messages/reporter";
import { sleep } from "../base/runtime/time/clock";
import type { ServiceContext } from "../resource/lifeCycle";
import { type ExportJob, type JobReport, JUST_STARTED, type StartReply } from "../service/exportJob";
import { mintLink } from "../service/mintLink";
import { waitForJob } from "../service/polling/jobWait";
import type { CheckedExportInputs } from "./inputs";
import { startRequest } from "./startRequest";
import type { FinishedExport, KnownJob } from "./state";

/** How long the service may not know a job that was just started (lagging replicas), in milliseconds. */
const UNKNOWN_AFTER_START_MS = 10_000;
/** Pause between two polls of such a job outside of an export, in milliseconds. */
const POLL_AGAIN_MS = 2_000;
/** How many times a completed job may be not ready for its bundle. */
const MAX_NOT_READY = 5;
/** Pause after the first such reply, in milliseconds; grows by the same amount each time. */
const NOT_READY_DELAY_MS = 2_000;

/** A job of a site. */
interface JobOfSite {
  readonly domain: string;
  /** Whether the job may be so new that not every replica of the service knows it yet. */
  readonly mayBeNew: boolean;
}

/**
 * The first step of an export: starts a job.
 *
 * @param idempotencyKey the same for repeated starts of one export, see `Call.idempotencyKey`
 */
export async function startExport(
  { client, reporter, tracer, secrets }: ServiceContext,
  inputs: CheckedExportInputs,
  idempotencyKey: string,
): Promise<StartReply> {
  secrets.addCredentials(inputs.exportOptions); // a service may quote them
  reporter.progress("starting the export");
  const reply = await tracer.span("docs_hosting.export.start", {}, async () => {
    const reply = await client.startExport(startRequest(inputs), idempotencyKey);
    tracer.note({ "docs_hosting.job.id": reply.jobId });
    return reply;
  });
  reporter.info(`export job ${reply.jobId} started`, true);
  return reply;
}

/** A job to complete, and what is known of it. */
export interface JobToComplete extends KnownJob, Pick<JobOfSite, "mayBeNew"> {
  /** The job in the reply to its start: the service may already have one of the same content, which has ended. */
  readonly job?: ExportJob | undefined;
}

/**
 * The other steps: waits until a job is completed, and mints a link to its bundle.
 *
 * @param onJob called as soon as the job is known and when it is completed, so that the next run finds it after any failure
 * @throws ExportFailedError when the job failed; any other DocsHostingError; the signal's reason
 */
export async function completeExport(
  given: ServiceContext,
  { domain, jobId: adopted }: CheckedExportInputs,
  { jobId, mayBeNew, ...known }: JobToComplete,
  onJob: (job: KnownJob) => void,
): Promise<FinishedExport> {
  // a second wait for the same job would repeat its warnings
  const context = { ...given, reporter: warningOnce(given.reporter) };
  const { reporter, tracer, clock, signal } = context;
  let { report, job } = known;
  tracer.note({ "docs_hosting.job.id": jobId });
  onJob({ jobId, report });
  for (let notReady = 0; ;) {
    if (!report) {
      if (!job || job.outcome === "pending") job = await waitForExport(jobId, { domain, mayBeNew }, context);
      // the user named the job: then no other job is started instead
      report = reportOf(jobId, job, adopted !== undefined, reporter);
      onJob({ jobId, report });
    }
    try {
      reporter.progress("packing the bundle");
      return { jobId, link: await mintLink(jobId, domain, context), report };
    } catch (error) {
      if (!(error instanceof NotReadyError) || ++notReady > MAX_NOT_READY) throw error;
      report = job = undefined;
      await sleep(clock, notReady * NOT_READY_DELAY_MS, signal);
    }
  }
}

/** @throws ExportFailedError if the job failed */
function reportOf(
  jobId: string,
  { outcome, status, reason, report, warnings, error }: ExportJob,
  isAdopted: boolean,
  reporter: Reporter,
): JobReport {
  if (outcome !== "success") {
    const ended = status === "failed" ? "failed" : `ended as "${status}"`;
    const another = "give the `jobId` of another job, or none, and run `pulumi up` again.";
    throw reason === undefined
      ? new ExportFailedError(
          `job ${jobId} ${ended}, and the service gave no reason`,
          `Ask the service's support about job ${jobId}` +
            (isAdopted ? `, or ${another}` : ". The next `pulumi up` starts a new job."),
        )
      : new ExportFailedError(
          `job ${jobId} ${ended}: the service says: ${reason}`,
          "Fix what the service names, then " +
            (isAdopted ? another : "run `pulumi up` again: it starts a new job."),
        );
  }
  if (error !== undefined) {
    reporter.warn(`job ${jobId} is completed, but the service reports an error with it: ${error}`);
  }
  if (warnings !== undefined) reporter.warn(`job ${jobId} is completed with ${warnings}`);
  if (report.pageCount === 0) reporter.warn(`job ${jobId} is completed, but exported 0 pages`);
  return report;
}

/**
 * Polls a job once. Polls again only if the job may be new and the service does not know it yet.
 *
 * @throws NotFoundError if the job does not exist; any other DocsHostingError; the signal's reason
 */
export async function findJob(jobId: string, of: JobOfSite, context: ServiceContext): Promise<ExportJob> {
  const poll = pollOf(jobId, of, context);
  for (;;) {
    const job = await poll();
    if (job) return job;
    await sleep(context.clock, POLL_AGAIN_MS, context.signal);
  }
}

/**
 * The second proof that a job is gone, where a gateway may have answered the first request: the other request for the same job.
 *
 * @param asked which request was answered with 404
 */
export async function isMissing(
  asked: "status" | "bundle",
  jobId: string,
  { domain }: Pick<JobOfSite, "domain">,
  { client }: ServiceContext,
): Promise<boolean> {
  try {
    await (asked === "bundle" ? client.getExport(jobId, domain) : client.createBundle(jobId, domain));
    return false;
  } catch (error) {
    return error instanceof NotFoundError;
  }
}

/**
 * The error for a job of which only a 404 that may be another's says that it is missing.
 *
 * @param ifRemoved what to do if the service did remove it
 */
export function unprovedMissing(error: NotFoundError, ifRemoved: string): Error {
  return error.withMessage(
    `a 404 without the API's \`error\`, which proves nothing of the job (${error.message})`,
    "A gateway or a proxy may have answered in place of the service: check the base URL and what is in front of the service. " +
      `If the service did remove the job, ${ifRemoved}: it starts another job and does not ask for this one.`,
  );
}

/** Polls a job: `undefined` while a job that may be new is not known to every replica yet. */
function pollOf(
  jobId: string,
  { domain, mayBeNew }: JobOfSite,
  { client, clock, tracer }: ServiceContext,
): () => Promise<ExportJob | undefined> {
  const beganAt = clock.monotonic();
  return async () => {
    try {
      return await tracer.span("docs_hosting.export.look", { "docs_hosting.job.id": jobId }, async () => {
        const job = await client.getExport(jobId, domain);
        tracer.note({
          "docs_hosting.job.status": job.status,
          "docs_hosting.job.outcome": job.outcome,
          "docs_hosting.job.progress": job.progress,
          "docs_hosting.job.pages": job.report.pageCount,
        });
        return job;
      });
    } catch (error) {
      const justStarted = mayBeNew && clock.monotonic() - beganAt <= UNKNOWN_AFTER_START_MS;
      if (error instanceof NotFoundError && justStarted) return undefined;
      throw error;
    }
  };
}

function waitForExport(jobId: string, of: JobOfSite, context: ServiceContext): Promise<ExportJob> {
  const pollOnce = pollOf(jobId, of, context);
  const poll = async (): Promise<ExportJob> => {
    const job = (await pollOnce()) ?? JUST_STARTED;
    if (job.isMisspelled) {
      context.reporter.warn(
        `the service writes the status of job ${jobId} in another letter case or with white space around it: it is accepted`,
      );
    }
    return { ...job, ...job.report };
  };
  const subject = `export job ${jobId} of ${of.domain} to be completed`;
  const wait = { ...context, subject, name: `job ${jobId}`, poll };
  return context.tracer.span("docs_hosting.export.wait", {}, () => waitForJob(wait));
}
