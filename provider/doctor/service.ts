import { attempt, readReply } from "../base/http/attempt";
import { endpointOf } from "../base/http/endpoint";
import { Pacers } from "../base/http/pacer";
import { NotFoundError, ResponseError } from "../base/runtime/messages/errors";
import type { Reporter } from "../base/runtime/messages/reporter";
import { formatDuration } from "../base/runtime/time/duration";
import { noTracer } from "../base/runtime/tracing/tracer";
import { present } from "../base/runtime/values/fields";
import { type ClientContext, openClient, type ServiceContext } from "../resource/lifeCycle";
import type { ServiceInputs } from "../resource/serviceInputs";
import { agentJobName, agentJobOutcome, isKnownStatus } from "../service/agentJob";
import { type ConfigurationSource, type ServiceSettings, serviceSettings } from "../service/configuration";
import { normaliseDomain } from "../service/domain";
import { JobsSeen } from "../service/jobsSeen";
import { failure, failureOf, type Finding, ok, silent, warning } from "./finding";
import type { Examination } from "./host";

/** Time limit of one check, in milliseconds. */
const CHECK_LIMIT_MS = 10_000;
/** A job that no service has. A request for it needs the key, and starts nothing. */
const NO_JOB = "00000000-0000-0000-0000-000000000000";
/** Statuses of services that refuse such an ID after they have accepted the key. */
const REFUSED_ID = new Set([400, 422]);

/** A smaller difference of the clocks is ok, in milliseconds: `Date` headers count whole seconds. */
const CLOCK_WARNING_MS = 30_000;
/** With a larger difference, logins and signed links fail, in milliseconds. */
const CLOCK_FAILURE_MS = 5 * 60_000;

/** What the service reported. */
export interface ServiceResult {
  readonly findings: readonly Finding[];
  /** The job that was started. */
  readonly startedJobId?: string;
  /** Whether a start had no reply, so that a job with an unknown ID may run. @default false */
  readonly mayHaveStarted?: boolean;
}

/** Checks the key, the clock and the jobs at the service. It starts a job only with `--start`. */
export async function checkService(
  configuration: ConfigurationSource,
  { options, host: { fetch, clock }, secrets }: Examination,
): Promise<ServiceResult> {
  const { domain, job, project, start, "base-url": baseUrl, "api-key-env": apiKeyEnv } = options;
  const given = present<ServiceInputs>({ baseUrl, apiKeyEnv });
  const signal = new AbortController().signal;
  const shared: ClientContext = {
    configuration,
    fetch,
    clock,
    secrets,
    signal,
    tracer: noTracer,
    reporter: silent,
    pacers: new Pacers(clock),
    jobsSeen: new JobsSeen(),
  };
  const opened = (reporter = silent): Opened => openClient({ ...shared, reporter }, given, CHECK_LIMIT_MS);

  const { client, deadline } = opened();
  const key = await keyFinding(client, () =>
    statusWithoutKey(serviceSettings(configuration, given), { ...shared, deadline }),
  );
  const findings = [key, ...clockFindings(client.clockAheadMs)];
  const site = domain === undefined ? undefined : normaliseDomain(domain);
  if (site && "problem" in site) findings.push(failure("domain", `--domain ${site.problem}`, "Correct it."));
  if (key.status === "failure") return { findings };
  const checked = site && "domain" in site ? site.domain : undefined;
  if (job !== undefined) {
    const finding =
      project === undefined
        ? exportFinding(job, checked, opened())
        : agentJobFinding({ projectId: project, jobId: job }, opened());
    findings.push(await finding.catch((error: unknown) => failureOf("job", error)));
  }
  if (checked === undefined) return { findings };
  if (start) {
    const started = await startExport(checked, opened);
    return { ...started, findings: [...findings, ...started.findings] };
  }
  findings.push(
    ok(
      "domain",
      `${checked} is a valid name; whether it is a site of the key's organization, and whether plan and key permit exports, is known after a start (--start)`,
    ),
  );
  return { findings };
}

type Opened = ServiceContext<ClientContext>;

/** @param withoutKey the status of the same request without the key */
async function keyFinding(
  client: Opened["client"],
  withoutKey: () => Promise<number | undefined>,
): Promise<Finding> {
  let status = 200;
  try {
    await client.getExport(NO_JOB);
  } catch (error) {
    if (
      !(error instanceof NotFoundError) &&
      !(error instanceof ResponseError && REFUSED_ID.has(error.status))
    ) {
      return failureOf("key-accepted", error);
    }
    status = error.status;
  }
  const other = await withoutKey();
  const asked = `a request for a job that does not exist was answered ${status}`;
  if (other !== status) return ok("key-accepted", `the service accepts the key: ${asked}`);
  return warning(
    "key-accepted",
    `${asked}, with and without the key: whether the service accepts the key is not known`,
    "Check the path and host of the base URL: perhaps they are not those of the service's API.",
  );
}

async function statusWithoutKey(
  { baseUrl, proxy }: ServiceSettings,
  context: Parameters<typeof attempt>[2],
): Promise<number | undefined> {
  const endpoint = endpointOf(baseUrl, {
    method: "GET",
    path: ["v1", "static-export", "jobs", NO_JOB],
    repetition: "read",
  });
  const outcome = await attempt(
    endpoint,
    { method: "GET", headers: { accept: "application/json" } },
    context,
    { silenceMs: CHECK_LIMIT_MS, proxy },
    (reply) => readReply(endpoint, reply, context.clock),
  );
  return "value" in outcome && "status" in outcome.value ? outcome.value.status : undefined;
}

function clockFindings(aheadMs: number | undefined): Finding[] {
  if (aheadMs === undefined) return [];
  const offMs = Math.abs(aheadMs);
  if (offMs < CLOCK_WARNING_MS) return [ok("clock", "the clocks of this machine and of the service agree")];
  const message = `the clock of this machine is ${formatDuration(offMs)} ${aheadMs > 0 ? "ahead of" : "behind"} that of the service`;
  const remedy =
    "Synchronize this machine's clock (NTP, such as `timedatectl set-ntp true`). If it is right, tell the service's operator.";
  return [offMs < CLOCK_FAILURE_MS ? warning("clock", message, remedy) : failure("clock", message, remedy)];
}

async function exportFinding(
  jobId: string,
  domain: string | undefined,
  { client }: Opened,
): Promise<Finding> {
  const { status, outcome, report, reason, isUnexpected } = await client.getExport(jobId, domain);
  const { pageCount } = report;
  const pages = pageCount === undefined ? "" : `, ${pageCount} pages`;
  const message = `export job ${jobId} is ${status}${pages}`;
  if (outcome === "failure") {
    return warning("job", `${message}${reason === undefined ? "" : `: ${reason}`}`, "Start a new export.");
  }
  if (!isUnexpected || outcome === "success") return ok("job", message);
  const unknown = `${message}, which is an unknown status: it counts as still running`;
  return warning("job", unknown, "Update the package.");
}

async function agentJobFinding(
  key: { projectId: string; jobId: string },
  { client }: Opened,
): Promise<Finding> {
  const { status } = (await client.getAgentJob(key)).job;
  const message = `${agentJobName(key)} is ${status}`;
  const outcome = agentJobOutcome(status);
  if (outcome === "failure") return warning("job", message, "Start the agent again.");
  return outcome === "pending" && !isKnownStatus(status)
    ? warning("job", `${message}, which is an unknown status`, "Update the package.")
    : ok("job", message);
}

async function startExport(domain: string, open: (reporter: Reporter) => Opened): Promise<ServiceResult> {
  const lost: Finding[] = [];
  // without a reply, a job with an unknown id may run
  const warn = (line: string): void =>
    void lost.push(warning("start", line, "Look for a job of this site on the service's dashboard."));
  try {
    const { jobId } = await open({ ...silent, warn }).client.startExport({ domain });
    const message = `started the export job ${jobId} of ${domain}: to use it, give it to a StaticExport as \`jobId\``;
    return { findings: [...lost, ok("start", message)], startedJobId: jobId };
  } catch (error) {
    return { findings: [...lost, failureOf("start", error)], mayHaveStarted: lost.length > 0 };
  }
}
