import { createReadStream } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { BundleLinks } from "./bundleLinks.ts";
import { parseByteRange } from "./byteRange.ts";
import type { ExportJobs } from "./exportJobs.ts";
import { Refusal } from "./refusal.ts";

/** Creates links; requires the key. */
export function addBundleRoutes(app: FastifyInstance, jobs: ExportJobs, links: BundleLinks): void {
  app.post<{ Params: { jobId: string } }>("/v1/static-export/jobs/:jobId/bundle", async (request) => {
    const { jobId } = request.params;
    const job = jobs.status(jobId);
    if (!job) throw new Refusal(404, `there is no export job ${jobId}`);
    if (job.status !== "completed") {
      throw new Refusal(
        409,
        `export job ${jobId} is ${job.status}; a bundle can be made once it is completed`,
      );
    }
    const { size } = await jobs.archive(jobId);
    return { jobId, domain: job.domain, ...links.mint(jobId), sizeBytes: size };
  });
}

/** Serves links; without a key, because the signature is the permission. A download can be resumed (RFC 9110, 14). */
export function addBundleDownloadRoute(app: FastifyInstance, jobs: ExportJobs, links: BundleLinks): void {
  app.route<{ Params: { jobId: string } }>({
    method: ["GET", "HEAD"],
    url: "/bundles/:jobId.tar.gz",
    handler: async (request, reply) => {
      const { jobId } = request.params;
      const refusal = links.refuse(jobId, new URLSearchParams(request.url.split("?")[1]));
      if (refusal !== undefined) throw new Refusal(403, refusal);
      const archive = await jobs.packedArchive(jobId);
      if (!archive) throw new Refusal(404, "the bundle is gone");

      const { size } = archive;
      const etag = `"${archive.sha256}"`;
      void reply.headers({
        etag,
        "accept-ranges": "bytes",
        "cache-control": "private, no-store",
        "content-disposition": `attachment; filename="${jobId}.tar.gz"`,
        "content-type": "application/gzip",
      });
      if (request.headers["if-none-match"] === etag) return reply.code(304).send();

      // a client that resumes another version must get all of this one, never a mix of both
      const ifRange = request.headers["if-range"];
      const mayResume = request.method === "GET" && (ifRange === undefined || ifRange === etag);
      const range = mayResume ? parseByteRange(request.headers.range, size) : undefined;
      if (range === "unsatisfiable") {
        void reply.header("content-range", `bytes */${size}`);
        throw new Refusal(416, `the bundle has ${size} bytes`);
      }
      if (range) {
        void reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`);
      }
      // of the whole archive, also when the reply has only a part of it (RFC 9530, 3)
      const digest = Buffer.from(archive.sha256, "hex").toString("base64");
      void reply.header("repr-digest", `sha-256=:${digest}:`);
      const { start, end } = range ?? { start: 0, end: size - 1 };
      void reply.header("content-length", end - start + 1);
      return reply.send(
        request.method === "HEAD" ? undefined : createReadStream(archive.path, { start, end }),
      );
    },
  });
}
