import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import fastifyStatic from "@fastify/static";
import Fastify from "fastify";
import { afterAll, beforeAll, onTestFinished, vi } from "vitest";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { JOBS, serviceCalls } from "./serviceCalls.ts";

const DOMAIN = "docs.example.com";
const KEY = "svc_test";

/** A whole export: by the service, downloaded, unpacked by plain `tar`. */
export interface ExportedSite {
  folder: string;
  pageCount: number;
  warnings: string[];
  archiveSha256: string;
  remove(): Promise<void>;
}

export async function exportSite(source: string): Promise<ExportedSite> {
  const service = await startReferenceService({ sites: { [DOMAIN]: source }, adminApiKey: KEY });
  const call = serviceCalls(service.url, KEY);
  const { jobId } = (await call("POST", JOBS, { domain: DOMAIN })).body;
  const path = `${JOBS}/${String(jobId)}`;
  const job = await vi.waitUntil(
    async () => {
      const { body } = await call("GET", path);
      return ["completed", "failed"].includes(String(body["status"])) && body;
    },
    { ...PATIENTLY, interval: 50 },
  );
  if (job["status"] === "failed") throw new Error(String(job["error"]));
  const { bundleUrl } = (await call("POST", `${path}/bundle`)).body;
  const archive = Buffer.from(await (await fetch(String(bundleUrl))).arrayBuffer());
  await service.close();

  const folder = await mkdtemp(join(tmpdir(), "exported-site-"));
  await writeFile(`${folder}.tar.gz`, archive);
  await promisify(execFile)("tar", ["xzf", `${folder}.tar.gz`, "-C", folder]);
  await rm(`${folder}.tar.gz`);
  return {
    folder,
    pageCount: job["pageCount"] as number,
    warnings: job["warnings"] as string[],
    archiveSha256: createHash("sha256").update(archive).digest("hex"),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Exports these files. Source and site are removed when the test ends. */
export async function exportFiles(files: Readonly<Record<string, string | Buffer>>): Promise<ExportedSite> {
  const source = await mkdtemp(join(tmpdir(), "markdown-"));
  onTestFinished(() => rm(source, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), content);
  }
  const site = await exportSite(source);
  onTestFinished(() => site.remove());
  return site;
}

/** Every file below a folder, relative to it, sorted. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

export function readPage(site: ExportedSite, address: string): Promise<string> {
  return readFile(join(site.folder, address), "utf8");
}

/** The manual in the installed fastify package: real pages, whose authors did not know this renderer. */
export const FASTIFY_MANUAL = join(import.meta.dirname, "../../node_modules/fastify/docs");

/**
 * Exports the manual and serves it as any static file server would, below a sub-folder of its host, under a strict content
 * security policy. Call it at the level of tests; it runs during them.
 */
export function servedManual(): { site: ExportedSite; url: string } {
  const served = {} as { site: ExportedSite; url: string };
  const app = Fastify({ forceCloseConnections: true });
  beforeAll(async () => {
    served.site = await exportSite(FASTIFY_MANUAL);
    await app.register(fastifyStatic, { root: served.site.folder, prefix: "/some/sub-folder/" });
    app.addHook("onRequest", (_request, reply, done) => {
      void reply.header("content-security-policy", "default-src 'self'");
      done();
    });
    served.url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/some/sub-folder/`;
  });
  afterAll(async () => {
    await app.close();
    await served.site.remove();
  });
  return served;
}
