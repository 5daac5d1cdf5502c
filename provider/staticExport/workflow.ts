import { isShort, SHORT_LIFE_MS, type BundleLink } from "../service/bundleLink";
import type { Client } from "../service/client";
import { sleep, type Clock } from "../time/clock";
import { warningOnce, type Reporter } from "../words/reporter";
import type { Deadline } from "../time/deadline";
import { ExportFailedError, MalformedResponseError, NotFoundError, NotReadyError } from "../words/errors";
import { isFinal, isUnexpected, type ExportJob, type StartReply } from "../service/exportJob";
import { waitForJob } from "../waiting/jobWait";

/** How long a job that was just started may be unknown to the service (replicas that lag), in milliseconds. */
const UNKNOWN_AFTER_START_MS = 10_000;
/** Pause between two looks at such a job outside of an export, in milliseconds. */
const LOOK_AGAIN_MS = 2_000;
/** How often a completed job may answer that it is not ready to be packed. */
const MAX_NOT_READY = 5;
/** Pause after the first such answer, in milliseconds; grows by the same amount each time. */
const NOT_READY_DELAY_MS = 2_000;

/** One export of one site. */
export interface ExportRequest {
  readonly domain: string;
  /** Further fields of the request that starts the job. */
  readonly exportOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Go on with this job instead of starting one. */
  readonly jobId?: string;
  /** Of the start: the same for all starts of which only one may count, see `Call.idempotencyKey`. */
  readonly idempotencyKey?: string;
  /** That job is known to be completed: only the link is missing. */
  readonly completed?: boolean;
  /** Pages of that completed job, as far as they are known. */
  readonly pageCount?: number | undefined;
  /** That job may have been started a moment ago, so that not every replica of the service knows it yet. */
  readonly mayBeNew?: boolean;
}

/** A job and how far it is known to have come. */
export interface StartedJob {
  readonly jobId: string;
  readonly completed: boolean;
  /** Pages of a completed job, when the service says so. */
  readonly pageCount?: number | undefined;
}

/** What the workflow runs with. */
export interface WorkflowContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  /** How many operations this process waits for at the moment. */
  readonly inFlight: () => number;
  /** Called as soon as the job is known and when it is completed, so that it can be found again whatever happens next. */
  readonly onJob: (job: StartedJob) => void;
}

/** A completed export and a link to its bundle. */
export interface FinishedExport {
  readonly jobId: string;
  /** As the service said. Absent when it did not, or was not asked. */
  readonly pageCount?: number;
  readonly link: BundleLink;
}

/**
 * The three steps of `spec.md`, Static export: start a job (unless one is given), wait until it is completed, generate
 * the bundle.
 *
 * @throws ExportFailedError when the job failed; any other DocsHostingError; the signal's reason
 */
export async function runExport(request: ExportRequest, given: WorkflowContext): Promise<FinishedExport> {
  // a job that is waited for again has the same flaws
  const context = { ...given, reporter: warningOnce(given.reporter) };
  const { reporter, onJob, clock, signal } = context;
  const mayBeNew = request.jobId === undefined || request.mayBeNew === true;
  const { jobId, job: asStarted } =
    request.jobId === undefined ? await startExport(request, context) : { jobId: request.jobId };
  let completed = request.completed ?? false;
  let { pageCount } = request;
  onJob({ jobId, completed, pageCount });
  for (let notReady = 0; ;) {
    if (!completed) {
      // a start may be answered by a job that is over already: one of the same content that the service knows
      const isOver = asStarted !== undefined && isFinal(asStarted) && notReady === 0;
      const job = isOver ? asStarted : await waitForExport(request.domain, jobId, mayBeNew, context);
      ({ pageCount } = completedJob(jobId, job, reporter));
      completed = true;
      onJob({ jobId, completed, pageCount });
    }
    try {
      reporter.progress("packing the bundle");
      const link = await mintLink(jobId, context);
      return { jobId, link, ...(pageCount !== undefined && { pageCount }) };
    } catch (error) {
      if (!(error instanceof NotReadyError) || ++notReady > MAX_NOT_READY) throw error;
      completed = false;
      await sleep(clock, notReady * NOT_READY_DELAY_MS, signal);
    }
  }
}

async function startExport(
  { domain, exportOptions, idempotencyKey }: ExportRequest,
  { client, reporter }: WorkflowContext,
): Promise<StartReply> {
  reporter.progress("starting the export");
  const started = await client.startExport(domain, { exportOptions, idempotencyKey });
  reporter.info(`export job ${started.jobId} started`);
  return started;
}

/** @throws ExportFailedError when the job failed */
function completedJob(jobId: string, job: ExportJob, reporter: Reporter): ExportJob {
  if (job.status === "failed") {
    throw job.reason === undefined
      ? new ExportFailedError(
          `job ${jobId} failed, and the service gave no reason`,
          `Ask the service's support about job ${jobId}. The next \`pulumi up\` starts a new job.`,
        )
      : new ExportFailedError(
          `job ${jobId} failed: the service says: ${job.reason}`,
          "Mend what the service names, then run `pulumi up` again: it starts a new job.",
        );
  }
  if (job.pageCount === 0) reporter.warn(`job ${jobId} is completed, but exported 0 pages`);
  return job;
}

/**
 * A fresh link to the bundle of a completed job. A link that is dead on arrival, or as good as dead, is asked for once
 * more.
 *
 * @throws MalformedResponseError when the second one is dead by the service's own clock; any other DocsHostingError
 */
export async function mintLink(
  jobId: string,
  { client, reporter }: Pick<WorkflowContext, "client" | "reporter">,
): Promise<BundleLink> {
  const lifeMs = ({ expiresAtMs = Infinity, mintedAtMs }: BundleLink): number => expiresAtMs - mintedAtMs;
  let link = await client.createBundle(jobId);
  if (isShort(lifeMs(link))) link = await client.createBundle(jobId);
  if (link.expiresAtMs === undefined) {
    reporter.warn(
      `the service does not say when the link to job ${jobId} expires: it is renewed only when an input changes`,
    );
  } else if (lifeMs(link) <= 0 && client.clockAheadMs !== undefined) {
    throw new MalformedResponseError(
      `the service minted a link for job ${jobId} that has expired already`,
      "Report this to the service's support: its own clock says so.",
    );
  } else if (lifeMs(link) <= 0) {
    // without a Date header nobody knows whose clock is wrong: the storage decides
    reporter.warn(
      `by this machine's clock the link to job ${jobId} has expired already; the service does not tell the time, so check the clock`,
    );
  } else if (isShort(lifeMs(link))) {
    reporter.warn(
      `the link to job ${jobId} expires within ${SHORT_LIFE_MS / 1_000} seconds; the next \`pulumi up\` renews it`,
    );
  }
  return link;
}

/**
 * One look at a job; further ones only at a job that may have been started a moment ago and is not known yet.
 *
 * @throws NotFoundError when there is no such job; any other DocsHostingError; the signal's reason
 */
export async function findJob(
  { jobId, mayBeNew }: { jobId: string; mayBeNew: boolean },
  { client, clock, signal }: Pick<WorkflowContext, "client" | "clock" | "signal">,
): Promise<ExportJob> {
  const look = lookAt(jobId, mayBeNew, { client, clock });
  for (;;) {
    const job = await look();
    if (job) return job;
    await sleep(clock, LOOK_AGAIN_MS, signal);
  }
}

/** Looks at a job: `undefined` while one that may have been started a moment ago is not known to all of the service yet. */
function lookAt(
  jobId: string,
  mayBeNew: boolean,
  { client, clock }: Pick<WorkflowContext, "client" | "clock">,
): () => Promise<ExportJob | undefined> {
  const beganAt = clock.monotonic();
  return async () => {
    try {
      return await client.getExport(jobId);
    } catch (error) {
      const justStarted = mayBeNew && clock.monotonic() - beganAt <= UNKNOWN_AFTER_START_MS;
      if (error instanceof NotFoundError && justStarted) return undefined;
      throw error;
    }
  };
}

function waitForExport(
  domain: string,
  jobId: string,
  mayBeNew: boolean,
  { client, clock, deadline, signal, reporter, inFlight }: WorkflowContext,
): Promise<ExportJob> {
  const look = lookAt(jobId, mayBeNew, { client, clock });
  return waitForJob<ExportJob>({
    subject: `export job ${jobId} of ${domain} to be completed`,
    name: `job ${jobId}`,
    look: async () => {
      const job = (await look()) ?? { status: "queued" };
      if (job.respelt) {
        reporter.warn(
          `the service writes the status of job ${jobId} in another letter case or with white space around it: read nevertheless`,
        );
      }
      return job;
    },
    isFinal,
    isUnexpected,
    details: ({ progress, pageCount, retryAfterMs }) => ({
      ...(progress !== undefined && { progress }),
      ...(pageCount !== undefined && { pageCount }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }),
    reporter,
    inFlight,
    clock,
    deadline,
    signal,
  });
}
