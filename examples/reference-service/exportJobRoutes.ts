import type { FastifyInstance } from "fastify";
import type { ExportJobs } from "./exportJobs.ts";
import { Refusal } from "./refusal.ts";
import { type Sites, mayExport } from "./sites.ts";

/** A host name of at least one label (RFC 1123): no scheme, no port, no path. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

export function addExportJobRoutes(app: FastifyInstance, jobs: ExportJobs, sites: Sites): void {
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
    return reply.code(202).send({ jobId: jobs.start(domain.toLowerCase(), site.source) });
  });

  app.get<{ Params: { jobId: string } }>("/v1/static-export/jobs/:jobId", (request) => {
    const { jobId } = request.params;
    const status = jobs.status(jobId);
    if (!status) throw new Refusal(404, `there is no export job ${jobId}`);
    return status;
  });
}
