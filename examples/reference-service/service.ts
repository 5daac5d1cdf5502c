import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import { checkAdminApiKey, requireAdminApiKey } from "./adminApiKey.ts";
import { addAgentJobRoutes } from "./agentJobRoutes.ts";
import { AgentJobs } from "./agentJobs.ts";
import { BundleLinks } from "./bundleLinks.ts";
import { addBundleDownloadRoute, addBundleRoutes } from "./bundleRoutes.ts";
import { addExportJobRoutes } from "./exportJobRoutes.ts";
import { ExportJobs } from "./exportJobs.ts";
import { type Interceptor, interceptRequests } from "./intercept.ts";
import { answerError, answerErrors } from "./refusal.ts";
import { type LoggedRequest, logRequests } from "./requestLog.ts";
import { type Site, Sites } from "./sites.ts";

export interface ReferenceServiceOptions {
  /** The hosted sites by domain: a folder of Markdown, or the folder and the plan of the site. */
  sites: Readonly<Record<string, string | Site>>;
  /** The key that every request must carry. Begins with `svc_`. */
  adminApiKey: string;
  /**
   * TCP port; 0 takes any free one.
   * @default 0
   */
  port?: number;
  /**
   * Address to listen on.
   * @default "127.0.0.1"
   */
  host?: string;
  /**
   * Base of the bundle links, for clients that reach the service under another address than `url`.
   * @default `url` of the running service
   */
  publicUrl?: string;
  /**
   * The least duration of a job in milliseconds. Progress and page count advance over this time; a job is never shown as
   * completed before it is. A function is called once for each job.
   * @default 0
   */
  jobDurationMs?: number | (() => number);
  /**
   * Milliseconds for which a bundle link works.
   * @default 3_600_000 (one hour)
   */
  linkLifetimeMs?: number;
  /**
   * Starts with the same `Idempotency-Key` create one job. The API description does not show such a header.
   * @default false
   */
  idempotentStarts?: boolean;
  /**
   * How many requests `requests` holds at most; older ones are removed.
   * @default 10_000
   */
  loggedRequests?: number;
  /**
   * The service's clock, in milliseconds since 1970. Jobs, links and the `Date` of each reply use it.
   * @default Date.now
   */
  now?: () => number;
  /**
   * Creates identifiers of jobs and links.
   * @default random UUIDs
   */
  newId?: () => string;
}

export interface ReferenceService {
  /** Base address, for example `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The requests since the start or the last reset, oldest first; at most the last `loggedRequests`. */
  readonly requests: readonly LoggedRequest[];
  /** Acts as the agent: creates jobs and changes their states. */
  readonly agentJobs: AgentJobs;
  /** Adds a site or replaces it: the next export of the domain renders the new source. */
  setSite(domain: string, site: string | Site): void;
  /** Rotates the key: from now on only this one is accepted. */
  setAdminApiKey(adminApiKey: string): void;
  /** Answers some requests differently, for tests. Returns a function that removes the interceptor. */
  intercept(interceptor: Interceptor): () => void;
  /** Forgets jobs, requests and interceptors, and restores the first sites and key. */
  reset(): Promise<void>;
  /** Stops at once and removes all files of the service. */
  close(): Promise<void>;
}

const DEFAULT_LINK_LIFETIME_MS = 3_600_000;
const DEFAULT_LOGGED_REQUESTS = 10_000;
/** The longest identifier in a path, in characters: as many as Node accepts for all headers. Fastify's own limit is 100. */
const MAX_ID_LENGTH = 16_384;

/** Starts the service; resolves once it accepts requests. */
export async function startReferenceService(options: ReferenceServiceOptions): Promise<ReferenceService> {
  const { host = "127.0.0.1", port = 0, now = Date.now, newId = randomUUID } = options;
  const { jobDurationMs = 0, linkLifetimeMs = DEFAULT_LINK_LIFETIME_MS } = options;
  let adminApiKey = checkAdminApiKey(options.adminApiKey);

  const folder = await mkdtemp(join(tmpdir(), "reference-service-"));
  const requests: LoggedRequest[] = [];
  const interceptors = new Set<Interceptor>();
  const sites = new Sites(options.sites);
  const agentJobs = new AgentJobs(now);
  const durationOf = typeof jobDurationMs === "number" ? () => jobDurationMs : jobDurationMs;
  const jobs = new ExportJobs({ folder, jobDurationMs: durationOf, now, newId });
  const links = new BundleLinks({ publicUrl: () => options.publicUrl ?? url, linkLifetimeMs, now, newId });
  const domainOfJob = (jobId: string) => jobs.domainOf(jobId);

  const app = Fastify({
    forceCloseConnections: true,
    frameworkErrors: answerError,
    routerOptions: { maxParamLength: MAX_ID_LENGTH },
  });
  answerErrors(app);
  acceptEmptyJson(app);
  app.addHook("onSend", (_request, reply, _payload, done) => {
    void reply.header("date", new Date(now()).toUTCString());
    done();
  });
  logRequests(app, requests, options.loggedRequests ?? DEFAULT_LOGGED_REQUESTS, domainOfJob);
  interceptRequests(app, interceptors, domainOfJob);
  addBundleDownloadRoute(app, jobs, links);
  void app.register((api, _options, done) => {
    requireAdminApiKey(api, () => adminApiKey);
    addAgentJobRoutes(api, agentJobs);
    addExportJobRoutes(api, jobs, sites, options.idempotentStarts ?? false);
    addBundleRoutes(api, jobs, links);
    done();
  });

  const close = async () => {
    await app.close();
    await jobs.reset();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await app.listen({ host, port });
  } catch (error) {
    await close();
    throw error;
  }
  const url = urlOf(app, host);

  return {
    url,
    requests,
    agentJobs,
    close,
    setSite: (domain, site) => {
      sites.set(domain, site);
    },
    setAdminApiKey: (next) => {
      adminApiKey = checkAdminApiKey(next);
    },
    intercept: (interceptor) => {
      interceptors.add(interceptor);
      return () => interceptors.delete(interceptor);
    },
    reset: async () => {
      interceptors.clear();
      await jobs.reset();
      agentJobs.reset();
      sites.reset();
      adminApiKey = options.adminApiKey;
      requests.length = 0;
    },
  };
}

/** Clients may send the JSON content type without a body where the API has no payload. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, undefined);
    else void parse(request, body as string, done);
  });
}

function urlOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
