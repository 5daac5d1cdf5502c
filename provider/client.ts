import { readAgentJob, type AgentJob, type AgentJobKey } from "./agentJob";
import { readBundleLink, type BundleLink } from "./bundleLink";
import type { ServiceSettings } from "./configuration";
import { MalformedResponseError, NotAllowedError, NotFoundError } from "./errors";
import { readExportJob, type ExportJob } from "./exportJob";
import { readIdentifier } from "./identifier";
import { withoutSecrets } from "./redaction";
import { Transport, type TransportOptions } from "./transport";

/** One look at an agent job. */
export interface AgentJobLook {
  readonly job: AgentJob;
  /** Names of fields that should be there and are not. */
  readonly missing: readonly string[];
  /** How long the service asks not to be asked again, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The administrative API of `spec.md`: one method per endpoint, each returning plain, checked values. */
export class Client {
  readonly #transport: Transport;
  readonly #service: ServiceSettings;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
    this.#service = options.service;
  }

  /** How far this machine's clock is ahead of the service's, in milliseconds, as far as a reply told. */
  get clockAheadMs(): number | undefined {
    return this.#transport.clockAheadMs;
  }

  /**
   * `POST /v1/static-export/jobs`: starts an export.
   *
   * @param idempotencyKey the same for starts of which only one may count: a service that knows the header
   *   `Idempotency-Key` then starts one job. `spec.md` does not show it, so nothing depends on it.
   * @returns the id of the new job
   * @throws DocsHostingError
   */
  startExport(domain: string, idempotencyKey?: string): Promise<string> {
    return this.#transport.send(
      {
        method: "POST",
        path: ["v1", "static-export", "jobs"],
        body: { domain },
        repetition: "start",
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      ({ endpoint, body }) => {
        const jobId = readIdentifier(body["jobId"]);
        // an id that holds the key would be stored and shown
        const isClean = (id: string): boolean => withoutSecrets(id, [this.#service.apiKey()]) === id;
        if (jobId !== undefined && isClean(jobId)) return jobId;
        throw new MalformedResponseError(
          `${endpoint} answered without a usable "jobId"`,
          "Check that the base URL is that of the service; if it is, report this to the service's support.",
        );
      },
    );
  }

  /**
   * `GET /v1/static-export/jobs/{jobId}`: the state of an export.
   *
   * @throws NotFoundError when there is no such job; any other DocsHostingError
   */
  getExport(jobId: string): Promise<ExportJob> {
    return this.#transport.send(
      { method: "GET", path: ["v1", "static-export", "jobs", jobId], repetition: "read" },
      (reply) => readExportJob(jobId, reply, this.#service.apiKey()),
    );
  }

  /**
   * `POST /v1/static-export/jobs/{jobId}/bundle`: a fresh link to the bundle of a completed job.
   *
   * @throws NotReadyError while the job is not completed; NotFoundError when there is no such job; any other DocsHostingError
   */
  createBundle(jobId: string): Promise<BundleLink> {
    return this.#transport.send(
      { method: "POST", path: ["v1", "static-export", "jobs", jobId, "bundle"], repetition: "repeatable" },
      (reply) => readBundleLink(reply, this.#service),
    );
  }

  /**
   * `GET /v2/agent/{projectId}/job/{id}`: the state of an agent job.
   *
   * @throws NotFoundError when there is no such job; any other DocsHostingError
   */
  async getAgentJob(key: AgentJobKey): Promise<AgentJobLook> {
    try {
      return await this.#transport.send(
        { method: "GET", path: ["v2", "agent", key.projectId, "job", key.id], repetition: "read" },
        (reply) => ({
          ...readAgentJob(key.id, reply, this.#service.apiKey()),
          ...(reply.retryAfterMs !== undefined && { retryAfterMs: reply.retryAfterMs }),
        }),
      );
    } catch (error) {
      if (error instanceof NotFoundError) {
        throw new NotFoundError(
          `there is no such job (${error.message})`,
          "Check both ids, and that the API key is of the organization that the project belongs to: the dashboard's API keys page shows both.",
          error.status,
        );
      }
      if (error instanceof NotAllowedError) {
        throw new NotAllowedError(error.message, "Check what the API key may do.", error.status);
      }
      throw error;
    }
  }
}
