import type { FastifyInstance } from "fastify";
import type { ExportJobs } from "./exportJobs.ts";
import { Refusal } from "./refusal.ts";
import { type Sites, mayExport } from "./sites.ts";

/** A host name of at least one label (RFC 1123): no scheme, no port, no path. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/**
 * @param idempotentStarts with it, starts of the same `Idempotency-Key` make one job, see
 *   https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function addExportJobRoutes(
  app: FastifyInstance,
  jobs: ExportJobs,
  sites: Sites,
  idempotentStarts: boolean,
): void {
  app.post("/v1/static-export/jobs", (request, reply) => {
    const domain = (request.body as { domain?: unknown } | null | undefined)?.domain;
    if (domain === undefined) throw new Refusal(400, "the field domain is missing");
    if (typeof domain !== "string" || !DOMAIN.test(domain)) {
      throw new Refusal(400, "the field domain must be a host name, such as docs.example.com");
    }
    const site = sites.get(domain);
    if (!site) throw new Refusal(404, `there is no deployment for the domain ${domain}`);
    if (!mayExport(site)) {
      throw new Refusal(
        403,
        `static export requires the enterprise plan; ${domain} is on the ${site.plan} plan`,
      );
    }
    const key = idempotentStarts ? request.headers["idempotency-key"] : undefined;
    const earlier = typeof key === "string" ? jobs.startedBy(key) : undefined;
    if (earlier !== undefined && jobs.domainOf(earlier) !== domain.toLowerCase()) {
      throw new Refusal(422, "this Idempotency-Key belongs to a start for another domain");
    }
    const jobId = earlier ?? jobs.start(domain.toLowerCase(), site.source, key?.toString());
    return reply.code(202).send({ jobId });
  });

  app.get<{ Params: { jobId: string } }>("/v1/static-export/jobs/:jobId", (request) => {
    const { jobId } = request.params;
    const status = jobs.status(jobId);
    if (!status) throw new Refusal(404, `there is no export job ${jobId}`);
    return status;
  });
}
