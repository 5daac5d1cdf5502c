import type { FastifyInstance, FastifyRequest } from "fastify";

/** Characters that the log keeps of a path, a domain or an identifier: clients can send them in any length. */
const LONGEST_TEXT = 1_024;

/** One request that the service received. It never holds the key, nor the query, which can hold a link's signature. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** Whether the request had an `Authorization` header, right or wrong. */
  readonly hasAuthorization: boolean;
  /** The domain in the request, or that of the job in the request. */
  domain?: string;
  jobId?: string;
  /**
   * Undefined until there is a reply. Also set when an interceptor withholds the reply from the client: it shows what was done.
   */
  status?: number;
}

/** Logs each request when it arrives, and completes its entry before the reply leaves, so that a client sees its own requests in it. */
export function logRequests(
  app: FastifyInstance,
  requests: LoggedRequest[],
  mostRequests: number,
  domainOfJob: (jobId: string) => string | undefined,
): void {
  const entries = new WeakMap<FastifyRequest, LoggedRequest>();
  app.addHook("onRequest", (request, _reply, done) => {
    const entry: LoggedRequest = {
      method: request.method,
      path: kept(request.url.split("?")[0] ?? ""),
      hasAuthorization: request.headers.authorization !== undefined,
    };
    entries.set(request, entry);
    requests.push(entry);
    if (requests.length > mostRequests) requests.shift();
    done();
  });
  app.addHook("preHandler", (request, _reply, done) => {
    const entry = entries.get(request);
    const { domain, jobId } = subjectOf(request, domainOfJob);
    if (entry && domain !== undefined) entry.domain = kept(domain);
    if (entry && jobId !== undefined) entry.jobId = kept(jobId);
    done();
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    const entry = entries.get(request);
    if (entry) entry.status = reply.statusCode;
    done();
  });
}

/** The subject of a request, as far as the request names it. */
export function subjectOf(
  request: FastifyRequest,
  domainOfJob: (jobId: string) => string | undefined,
): { domain?: string; jobId?: string } {
  const { jobId } = request.params as { jobId?: string };
  const named = (request.body as { domain?: unknown } | null | undefined)?.domain;
  const domain = typeof named === "string" ? named : jobId === undefined ? undefined : domainOfJob(jobId);
  return { ...(domain !== undefined && { domain }), ...(jobId !== undefined && { jobId }) };
}

/** The beginning of a text, as a copy: a slice would keep the whole text in memory. */
function kept(text: string): string {
  return Buffer.from(text.slice(0, LONGEST_TEXT), "utf16le").toString("utf16le");
}
