import type { ServiceContext } from "../resource/openClient";
import type { StartRequest } from "../service/client";
import type { BundleLink } from "../service/bundleLink";
import { mintLink } from "../service/mintLink";
import { JUST_STARTED, type ExportJob } from "../service/exportJob";
import { describeWarnings } from "../service/jobWarnings";
import { sleep } from "../time/clock";
import { warningOnce, type Reporter } from "../messages/reporter";
import { ExportFailedError, NotFoundError, NotReadyError } from "../messages/errors";
import { waitForJob, type JobWait } from "../polling/jobWait";
import type { JobPhase } from "./state";

/** How long a job that was just started may be unknown to the service (replicas that lag), in milliseconds. */
const UNKNOWN_AFTER_START_MS = 10_000;
/** Pause between two polls of such a job outside of an export, in milliseconds. */
const POLL_AGAIN_MS = 2_000;
/** How often a completed job may answer that it is not ready to be packed. */
const MAX_NOT_READY = 5;
/** Pause after the first such answer, in milliseconds; grows by the same amount each time. */
const NOT_READY_DELAY_MS = 2_000;

/** A start that is to be sent. */
export interface Start {
  readonly kind: "start";
  readonly request: StartRequest;
  /** The same for all starts of which only one may count, see `Call.idempotencyKey`. */
  readonly idempotencyKey: string;
}

/** A job of a site. */
interface JobOfSite {
  readonly domain: string;
  /** It may have been started a moment ago, so that not every replica of the service knows it yet. */
  readonly mayBeNew: boolean;
}

/** How to come to a job: start one, or go on with one that is there. */
export interface ExportRequest extends JobOfSite {
  readonly from: Start | JobPhase;
  /** The user named the job, so that no other is ever started in its place. */
  readonly isAdopted: boolean;
}

/** What the workflow runs with. */
export interface WorkflowContext extends ServiceContext {
  /** Called as soon as the job is known and when it is completed, so that it can be found again whatever happens next. */
  readonly onJob: (job: JobPhase) => void;
}

/** A completed export and a link to its bundle. */
export interface FinishedExport {
  readonly jobId: string;
  /** As the service said. Absent when it did not, or was not asked. */
  readonly pageCount?: number | undefined;
  readonly link: BundleLink;
}

/**
 * The three steps of an export: start a job (unless there is one), wait until it is completed, generate the bundle.
 *
 * @throws ExportFailedError when the job failed; any other DocsHostingError; the signal's reason
 */
export async function runExport(request: ExportRequest, given: WorkflowContext): Promise<FinishedExport> {
  // a job that is waited for again has the same flaws
  const context = { ...given, reporter: warningOnce(given.reporter) };
  const { reporter, tracer, onJob, clock, signal } = context;
  const { from, domain, isAdopted } = request;
  let { job, over }: Started = from.kind === "start" ? await startExport(from, context) : { job: from };
  const { jobId } = job;
  tracer.note({ "docs_hosting.job.id": jobId });
  onJob(job);
  for (let notReady = 0; ;) {
    if (job.kind === "running") {
      const ended = over ?? (await waitForExport(jobId, request, context));
      over = undefined; // from now on it is looked at
      job = completedJob(jobId, ended, isAdopted, reporter);
      onJob(job);
    }
    try {
      reporter.progress("packing the bundle");
      return { jobId, link: await mintLink(jobId, domain, context), pageCount: job.pageCount };
    } catch (error) {
      if (!(error instanceof NotReadyError) || ++notReady > MAX_NOT_READY) throw error;
      job = { kind: "running", jobId };
      await sleep(clock, notReady * NOT_READY_DELAY_MS, signal);
    }
  }
}

interface Started {
  readonly job: JobPhase;
  /** The job, where the reply says that it has ended already: one of the same content that the service knows. */
  readonly over?: ExportJob | undefined;
}

async function startExport(
  { request, idempotencyKey }: Start,
  { client, reporter, tracer }: ServiceContext,
): Promise<Started> {
  reporter.progress("starting the export");
  const { jobId, job } = await tracer.span("docs_hosting.export.start", {}, async () => {
    const reply = await client.startExport(request, idempotencyKey);
    tracer.note({ "docs_hosting.job.id": reply.jobId });
    return reply;
  });
  reporter.info(`export job ${jobId} started`);
  return { job: { kind: "running", jobId }, over: job?.outcome === "pending" ? undefined : job };
}

/** @throws ExportFailedError when the job did not end well */
function completedJob(
  jobId: string,
  { outcome, status, reason, pageCount, warnings }: ExportJob,
  isAdopted: boolean,
  reporter: Reporter,
): Extract<JobPhase, { kind: "completed" }> {
  if (outcome !== "success") {
    const another = "give the `jobId` of another job, or none, and run `pulumi up` again.";
    throw reason === undefined
      ? new ExportFailedError(
          `job ${jobId} ${status}, and the service gave no reason`,
          `Ask the service's support about job ${jobId}` +
            (isAdopted ? `, or ${another}` : ". The next `pulumi up` starts a new job."),
        )
      : new ExportFailedError(
          `job ${jobId} ${status}: the service says: ${reason}`,
          "Mend what the service names, then " +
            (isAdopted ? another : "run `pulumi up` again: it starts a new job."),
        );
  }
  if (warnings) reporter.warn(`job ${jobId} is completed with ${describeWarnings(warnings)}`);
  if (pageCount === 0) reporter.warn(`job ${jobId} is completed, but exported 0 pages`);
  return { kind: "completed", jobId, pageCount };
}

/**
 * One poll of a job; further ones only of a job that may have been started a moment ago and is not known yet.
 *
 * @throws NotFoundError when there is no such job; any other DocsHostingError; the signal's reason
 */
export async function findJob(jobId: string, of: JobOfSite, context: ServiceContext): Promise<ExportJob> {
  const poll = pollOf(jobId, of, context);
  for (;;) {
    const job = await poll();
    if (job) return job;
    await sleep(context.clock, POLL_AGAIN_MS, context.signal);
  }
}

/** Polls a job: `undefined` while one that may have been started a moment ago is not known to all of the service yet. */
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
          "docs_hosting.job.pages": job.pageCount,
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
  const poll = pollOf(jobId, of, context);
  const wait: JobWait<ExportJob> = {
    ...context,
    subject: `export job ${jobId} of ${of.domain} to be completed`,
    name: `job ${jobId}`,
    poll: async () => {
      const job = (await poll()) ?? JUST_STARTED;
      if (job.respelt) {
        context.reporter.warn(
          `the service writes the status of job ${jobId} in another letter case or with white space around it: read nevertheless`,
        );
      }
      return job;
    },
  };
  return context.tracer.span("docs_hosting.export.wait", {}, () => waitForJob(wait));
}
