import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance } from "fastify";
import type { ExportJobs } from "./exportJobs.ts";
import { readPaths } from "./exportPaths.ts";
import { Refusal } from "./refusal.ts";
import { mayExport, type Sites } from "./sites.ts";

/** A host name of at least one label (RFC 1123): no scheme, no port, no path. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/**
 * @param idempotentStarts starts with the same `Idempotency-Key` create one job, see
 *   https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function addExportJobRoutes(
  app: FastifyInstance,
  jobs: ExportJobs,
  sites: Sites,
  idempotentStarts: boolean,
): void {
  app.post("/v1/static-export/jobs", async (request, reply) => {
    const { domain, ...options } = fieldsOf(request.body);
    if (domain === undefined) throw new Refusal(400, "the field domain is missing");
    if (typeof domain !== "string" || !DOMAIN.test(domain)) {
      throw new Refusal(400, "the field domain must be a host name, such as docs.example.com");
    }
    const site = sites.get(domain);
    if (!site) throw new Refusal(400, `there is no deployment for the domain ${domain}`);
    if (!mayExport(site)) {
      throw new Refusal(
        403,
        `static export requires the enterprise plan; ${domain} is on the ${site.plan} plan`,
      );
    }
    const paths = await readPaths(options, site.source);
    const key = idempotentStarts ? request.headers["idempotency-key"]?.toString() : undefined;
    const earlier = key === undefined ? undefined : jobs.startedBy(key);
    if (earlier && earlier.request.domain !== domain.toLowerCase()) {
      throw new Refusal(422, "this Idempotency-Key belongs to a start for another domain");
    }
    if (earlier && !isDeepStrictEqual(earlier.request.paths, paths)) {
      throw new Refusal(422, "this Idempotency-Key belongs to a start with other paths");
    }
    const { source } = site;
    const job = earlier?.job ?? jobs.start({ domain: domain.toLowerCase(), source, paths }, key);
    return reply.code(202).send(job);
  });

  app.get<{ Params: { jobId: string } }>("/v1/static-export/jobs/:jobId", (request) => {
    const { jobId } = request.params;
    const status = jobs.status(jobId);
    if (!status) throw new Refusal(404, `there is no export job ${jobId}`);
    return status;
  });
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}
