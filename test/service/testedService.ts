import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, onTestFinished, vi } from "vitest";
import { ExportJobs } from "../../examples/reference-service/exportJobs.ts";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { JOBS, type ServiceAnswer, serviceCalls } from "./serviceCalls.ts";

export const KEY = "svc_test_key";
export const NOON = Date.parse("2030-01-01T12:00:00Z");
export const LINK_LIFETIME_MS = 600_000;
export const JOB_DURATION_MS = 10_000;

/** A test's own service. */
interface Tested {
  /** The key that the service accepts at present. */
  clockMs: number;
  /** The folder with the Markdown of docs.example.com. */
  source: string;
  service: ReferenceService;
}

/** A separate service for each test, and a client's calls to it. Call it at the level of tests; the service runs during each. */
export function serviceOfEachTest() {
  const tested = {} as Tested;
  beforeEach(async () => {
    tested.clockMs = NOON;
    tested.source = await mkdtemp(join(tmpdir(), "markdown-"));
    for (const name of ["index", "one", "two", "three"]) {
      await writeFile(join(tested.source, `${name}.md`), `# Page ${name}`);
    }
    tested.service = await startReferenceService({
      sites: {
        "docs.example.com": tested.source,
        "trial.example.com": { source: tested.source, plan: "starter" },
        "lost.example.com": join(tested.source, "nowhere"),
      },
      adminApiKey: KEY,
      jobDurationMs: JOB_DURATION_MS,
      linkLifetimeMs: LINK_LIFETIME_MS,
      now: () => tested.clockMs,
    });
  });

  afterEach(async () => {
    await tested.service.close();
    await rm(tested.source, { recursive: true });
  });

  function call(method: string, path: string, body?: unknown, key = KEY): Promise<ServiceAnswer> {
    return serviceCalls(tested.service.url, key)(method, path, body);
  }

  const start = (fields: object = {}): Promise<ServiceAnswer> =>
    call("POST", JOBS, { domain: "docs.example.com", ...fields });

  async function startJob(fields?: object): Promise<string> {
    const { status, body } = await start(fields);
    expect(status, JSON.stringify(body)).toBe(202);
    return String(body["jobId"]);
  }

  async function jobStatus(jobId: string): Promise<Record<string, unknown>> {
    return (await call("GET", `${JOBS}/${jobId}`)).body;
  }

  /** Starts a job and waits for the real work; the least duration passes on the service's clock. */
  async function completeJob(fields?: object): Promise<Record<string, unknown> & { jobId: string }> {
    const jobId = await startJob(fields);
    const job = await vi.waitFor(async () => {
      tested.clockMs += JOB_DURATION_MS;
      const seen = await jobStatus(jobId);
      expect(seen["status"]).toBe("completed");
      return seen;
    }, PATIENTLY);
    return { ...job, jobId };
  }

  async function failedJob(fields?: object): Promise<Record<string, unknown>> {
    const jobId = await startJob(fields);
    return vi.waitFor(async () => {
      const seen = await jobStatus(jobId);
      expect(seen["status"]).toBe("failed");
      return seen;
    }, PATIENTLY);
  }

  /** A new link to the bundle of a job. */
  async function mintLink(jobId: string): Promise<string> {
    const { status, body } = await call("POST", `${JOBS}/${jobId}/bundle`);
    expect(status).toBe(200);
    return String(body["bundleUrl"]);
  }

  /** The pages in the bundle of a job, as plain `tar` lists them. */
  async function listPages(jobId: string): Promise<string[]> {
    const archive = join(tested.source, "bundle.tar.gz");
    await writeFile(archive, (await download(await mintLink(jobId))).bytes);
    const { stdout } = await promisify(execFile)("tar", ["tzf", archive]);
    return stdout
      .trimEnd()
      .split("\n")
      .filter((file) => !file.startsWith("assets/"));
  }

  /** The jobs of a service without its HTTP, which take as long as their work, and their folder. */
  async function exportJobs(): Promise<{ jobs: ExportJobs; folder: string }> {
    const folder = await mkdtemp(join(tmpdir(), "jobs-"));
    const jobs = new ExportJobs({
      folder,
      jobDurationMs: () => 0,
      now: () => tested.clockMs,
      newId: randomUUID,
    });
    onTestFinished(async () => {
      await jobs.reset();
      await rm(folder, { recursive: true });
    });
    return { jobs, folder };
  }

  return {
    tested,
    call,
    start,
    startJob,
    jobStatus,
    completeJob,
    failedJob,
    mintLink,
    listPages,
    exportJobs,
  };
}

export async function download(url: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(url, { headers, method });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
