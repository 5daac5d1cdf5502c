import type { ServiceContext } from "../resource/lifeCycle";
import type { StartRequest } from "../service/client";
import { type BundleLink } from "../service/bundleLink";
import { mintLink } from "../service/mintLink";
import { describeWarnings, type ExportJob, type JobReport, JUST_STARTED } from "../service/exportJob";
import { sleep } from "../runtime/time/clock";
import { type Reporter, warningOnce } from "../runtime/messages/reporter";
import { ExportFailedError, NotFoundError, NotReadyError } from "../runtime/messages/errors";
import { type JobWait, waitForJob } from "../service/polling/jobWait";
import type { CheckedInputs } from "./inputs";
import type { JobPhase } from "./state";

/** How long the service may not know a job that was just started (lagging replicas), in milliseconds. */
const UNKNOWN_AFTER_START_MS = 10_000;
/** Pause between two polls of such a job outside of an export, in milliseconds. */
const POLL_AGAIN_MS = 2_000;
/** How many times a completed job may be not ready for its bundle. */
const MAX_NOT_READY = 5;
/** Pause after the first such answer, in milliseconds; grows by the same amount each time. */
const NOT_READY_DELAY_MS = 2_000;

/** A start to send. */
interface Start {
  readonly kind: "start";
  /** The same for repeated starts of one export, see `Call.idempotencyKey`. */
  readonly idempotencyKey: string;
}

/** A job of a site. */
interface JobOfSite {
  readonly domain: string;
  /** Whether the job may be so new that not every replica of the service knows it yet. */
  readonly mayBeNew: boolean;
}

/** The context of the workflow. */
export interface WorkflowContext extends ServiceContext {
  /** Called as soon as the job is known and when it is completed, so that the next run finds it after any failure. */
  readonly onJob: (job: JobPhase) => void;
}

/** A completed export and a link to its bundle. */
export interface FinishedExport {
  readonly jobId: string;
  /** Empty if the service was not asked. */
  readonly report: JobReport;
  readonly link: BundleLink;
}

/**
 * The three steps of an export: start a job (unless there is one), wait until it is completed, mint a link to its bundle.
 *
 * @param from the start to send, or the job to continue
 * @param mayBeNew see {@link JobOfSite}
 * @throws ExportFailedError when the job failed; any other DocsHostingError; the signal's reason
 */
export async function runExport(
  from: Start | JobPhase,
  inputs: CheckedInputs,
  mayBeNew: boolean,
  given: WorkflowContext,
): Promise<FinishedExport> {
  // a second wait for the same job would repeat its warnings
  const context = { ...given, reporter: warningOnce(given.reporter) };
  const { reporter, tracer, onJob, clock, signal } = context;
  const { domain } = inputs;
  // the user named the job: then no other job is started instead
  const isAdopted = inputs.jobId !== undefined;
  let { job, over }: Started =
    from.kind === "start" ? await startExport(from, inputs, context) : { job: from };
  const { jobId } = job;
  tracer.note({ "docs_hosting.job.id": jobId });
  onJob(job);
  for (let notReady = 0; ;) {
    if (job.kind === "running") {
      const ended = over ?? (await waitForExport(jobId, { domain, mayBeNew }, context));
      over = undefined; // from now on the job is polled
      job = completedJob(jobId, ended, isAdopted, reporter);
      onJob(job);
    }
    try {
      reporter.progress("packing the bundle");
      return { jobId, link: await mintLink(jobId, domain, context), report: job.report };
    } catch (error) {
      if (!(error instanceof NotReadyError) || ++notReady > MAX_NOT_READY) throw error;
      job = { kind: "running", jobId };
      await sleep(clock, notReady * NOT_READY_DELAY_MS, signal);
    }
  }
}

interface Started {
  readonly job: JobPhase;
  /** The job, if the reply reports it as ended: the service already has a job of the same content. */
  readonly over?: ExportJob | undefined;
}

/** The body of a start request. `version` and `triggers` are not sent: they only decide when to start. */
export function startRequest({ domain, exportOptions }: CheckedInputs): StartRequest {
  return { ...exportOptions, domain };
}

async function startExport(
  { idempotencyKey }: Start,
  inputs: CheckedInputs,
  { client, reporter, tracer }: ServiceContext,
): Promise<Started> {
  reporter.progress("starting the export");
  const { jobId, job } = await tracer.span("docs_hosting.export.start", {}, async () => {
    const reply = await client.startExport(startRequest(inputs), idempotencyKey);
    tracer.note({ "docs_hosting.job.id": reply.jobId });
    return reply;
  });
  reporter.info(`export job ${jobId} started`);
  return { job: { kind: "running", jobId }, over: job?.outcome === "pending" ? undefined : job };
}

/** @throws ExportFailedError if the job failed */
function completedJob(
  jobId: string,
  { outcome, status, reason, report, warnings }: ExportJob,
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
          "Fix what the service names, then " +
            (isAdopted ? another : "run `pulumi up` again: it starts a new job."),
        );
  }
  if (warnings) reporter.warn(`job ${jobId} is completed with ${describeWarnings(warnings)}`);
  if (report.pageCount === 0) reporter.warn(`job ${jobId} is completed, but exported 0 pages`);
  return { kind: "completed", jobId, report };
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
  const poll = pollOf(jobId, of, context);
  const wait: JobWait<ExportJob> = {
    ...context,
    subject: `export job ${jobId} of ${of.domain} to be completed`,
    name: `job ${jobId}`,
    poll: async () => {
      const job = (await poll()) ?? JUST_STARTED;
      if (job.isMisspelled) {
        context.reporter.warn(
          `the service writes the status of job ${jobId} in another letter case or with white space around it: it is accepted`,
        );
      }
      return { ...job, ...job.report };
    },
  };
  return context.tracer.span("docs_hosting.export.wait", {}, () => waitForJob(wait));
}
