import { NOT_ALLOWED, NOT_THE_API, pathRemedy } from "../base/http/refusal";
import { Transport, type TransportOptions } from "../base/http/transport";
import { NotAllowedError, NotFoundError, ResponseError } from "../base/runtime/messages/errors";
import { type AgentJobKey, type ReadAgentJob, readAgentJob } from "./agentJob";
import { type BundleLink, readBundleLink } from "./bundleLink";
import type { ServiceSettings } from "./configuration";
import {
  checkSite,
  type ExportJob,
  otherSite,
  readExportJob,
  readStartReply,
  type StartReply,
} from "./exportJob";
import type { JobsOfAccount, JobsSeen } from "./jobsSeen";

export interface StartRequest {
  readonly domain: string;
  /** Further fields, for services that accept them. */
  readonly [field: string]: unknown;
}

/** The service's administrative API, see README.md: one method per endpoint, each returning plain, checked values. */
export class Client {
  readonly #transport: Transport;
  readonly #service: ServiceSettings;
  readonly #jobsSeen: JobsSeen;

  constructor(options: TransportOptions & { service: ServiceSettings; jobsSeen: JobsSeen }) {
    this.#transport = new Transport(options);
    this.#service = options.service;
    this.#jobsSeen = options.jobsSeen;
  }

  /** Whether a start was sent whose fate is unknown: a job may run that no later run can find. */
  get mayHaveStarted(): boolean {
    return this.#transport.mayHaveStarted;
  }

  /** What this process learned of the account's jobs. @throws ConfigurationError without a usable key */
  get jobs(): JobsOfAccount {
    return this.#jobsSeen.of(this.#service.baseUrl, this.#service.apiKey());
  }

  /** How far this machine's clock is ahead of the service's, in milliseconds; `undefined` if no reply showed it. */
  get clockAheadMs(): number | undefined {
    return this.#transport.clockAheadMs;
  }

  /**
   * `POST /v1/static-export/jobs`: starts an export.
   *
   * @param idempotencyKey the same key for repeated starts of one export: a service that supports the header
   *   `Idempotency-Key` then starts one job. The API does not guarantee it, so nothing depends on it.
   * @returns the new job
   * @throws DocsHostingError
   */
  async startExport(request: StartRequest, idempotencyKey?: string): Promise<StartReply> {
    try {
      return await this.#transport.send(
        {
          method: "POST",
          path: ["v1", "static-export", "jobs"],
          body: request,
          repetition: "start",
          idempotencyKey,
        },
        (reply) => {
          const start = readStartReply(reply);
          // the job id is known: a poll of the job reports the wrong site
          return otherSite(request.domain, reply.body) === undefined ? start : { jobId: start.jobId };
        },
      );
    } catch (error) {
      if (error instanceof NotAllowedError) {
        throw error.withMessage(
          error.message,
          `One of four things: ${request.domain} is the wrong domain, or a site of another organization than that of the API key; ${NOT_ALLOWED} Check the four in the dashboard.`,
        );
      }
      // services use different statuses for an unknown site
      if (!(error instanceof ResponseError) || ![400, 404, 422].includes(error.status)) throw error;
      if (error.remedy === NOT_THE_API) throw error;
      const { domain, ...further } = request;
      const more =
        Object.keys(further).length === 0
          ? "the base URL"
          : "the other fields of the start, and the base URL";
      // a 404 is about the site: it must not be mistaken for a missing job
      throw new ResponseError(
        error.message,
        `Check that ${domain} is a site of the organization that the API key belongs to; then ${more}.${pathRemedy(this.#service.baseUrl)}`,
        { status: error.status, requestId: error.requestId, cause: error },
      );
    }
  }

  /**
   * `GET /v1/static-export/jobs/{jobId}`: the state of an export.
   *
   * @param domain the site that the job must be of. @default any
   * @throws InputError for a job of another site than `domain`; NotFoundError when there is no such job; any other
   *   DocsHostingError
   */
  async getExport(jobId: string, domain?: string): Promise<ExportJob> {
    return await this.jobs.ask(jobId, () =>
      this.#transport.send(
        { method: "GET", path: ["v1", "static-export", "jobs", jobId], repetition: "read" },
        (reply) => {
          if (domain !== undefined) checkSite(domain, jobId, reply.body);
          return readExportJob(jobId, reply);
        },
      ),
    );
  }

  /**
   * `POST /v1/static-export/jobs/{jobId}/bundle`: a fresh link to the bundle of a completed job.
   *
   * @throws InputError for a job of another site than `domain`; NotReadyError while the job is not completed; NotFoundError when
   *   there is no such job; any other DocsHostingError
   */
  createBundle(jobId: string, domain: string): Promise<BundleLink> {
    return this.#transport.send(
      { method: "POST", path: ["v1", "static-export", "jobs", jobId, "bundle"], repetition: "repeatable" },
      (reply) => {
        checkSite(domain, jobId, reply.body);
        return readBundleLink(reply, this.#service);
      },
    );
  }

  /**
   * `GET /v2/agent/{projectId}/job/{jobId}`: the state of an agent job.
   *
   * @throws NotFoundError when there is no such job; any other DocsHostingError
   */
  async getAgentJob({ projectId, jobId }: AgentJobKey): Promise<ReadAgentJob> {
    try {
      return await this.jobs.ask(undefined, () =>
        this.#transport.send(
          { method: "GET", path: ["v2", "agent", projectId, "job", jobId], repetition: "read" },
          (reply) => readAgentJob(jobId, reply),
        ),
      );
    } catch (error) {
      if (error instanceof NotFoundError && !error.isOfApi) {
        throw error.withMessage(
          `a 404 without the API's \`error\`, which proves nothing of the job (${error.message})`,
          "A gateway or a proxy may have answered in place of the service: check the base URL and what is in front of the service, and run it again.",
        );
      }
      if (error instanceof NotFoundError) {
        throw error.withMessage(
          `there is no such job (${error.message})`,
          "Check both ids, and that the API key is of the organization that the project belongs to: the dashboard's API keys page shows both.",
        );
      }
      if (error instanceof NotAllowedError) {
        throw error.withMessage(error.message, "Check what the API key may do.");
      }
      throw error;
    }
  }
}
