import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ExportJobs } from "../../examples/reference-service/exportJobs.ts";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";
import { JOBS, serviceCalls, type ServiceAnswer } from "./serviceCalls.ts";

const KEY = "svc_test_key";
const NOON = Date.parse("2030-01-01T12:00:00Z");
const LINK_LIFETIME_MS = 600_000;
const JOB_DURATION_MS = 10_000;

let clockMs: number;
let source: string;
let service: ReferenceService;

beforeEach(async () => {
  clockMs = NOON;
  source = await mkdtemp(join(tmpdir(), "markdown-"));
  for (const name of ["index", "one", "two", "three"])
    await writeFile(join(source, `${name}.md`), `# Page ${name}`);
  service = await startReferenceService({
    sites: {
      "docs.example.com": source,
      "trial.example.com": { source, plan: "starter" },
      "lost.example.com": join(source, "nowhere"),
    },
    adminApiKey: KEY,
    jobDurationMs: JOB_DURATION_MS,
    linkLifetimeMs: LINK_LIFETIME_MS,
    now: () => clockMs,
  });
});

afterEach(async () => {
  await service.close();
  await rm(source, { recursive: true });
});

function call(method: string, path: string, body?: unknown, key = KEY): Promise<ServiceAnswer> {
  return serviceCalls(service.url, key)(method, path, body);
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

/** The machine may be busy with other tests. */
const PATIENCE = { timeout: 20_000 };

/** Starts a job and waits for the real work; the minimum duration passes on the service's clock. */
async function completeJob(fields?: object): Promise<Record<string, unknown> & { jobId: string }> {
  const jobId = await startJob(fields);
  const job = await vi.waitFor(async () => {
    clockMs += JOB_DURATION_MS;
    const seen = await jobStatus(jobId);
    expect(seen["status"]).toBe("completed");
    return seen;
  }, PATIENCE);
  return { ...job, jobId };
}

async function failedJob(fields?: object): Promise<Record<string, unknown>> {
  const jobId = await startJob(fields);
  return vi.waitFor(async () => {
    const seen = await jobStatus(jobId);
    expect(seen["status"]).toBe("failed");
    return seen;
  }, PATIENCE);
}

/** A fresh link to the bundle of a job. */
async function mintLink(jobId: string): Promise<string> {
  const { status, body } = await call("POST", `${JOBS}/${jobId}/bundle`);
  expect(status).toBe(200);
  return String(body["bundleUrl"]);
}

async function download(url: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(url, { headers, method });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The pages in the bundle of a job, as plain `tar` lists them. */
async function listPages(jobId: string): Promise<string[]> {
  const archive = join(source, "bundle.tar.gz");
  await writeFile(archive, (await download(await mintLink(jobId))).bytes);
  const { stdout } = await promisify(execFile)("tar", ["tzf", archive]);
  return stdout
    .trimEnd()
    .split("\n")
    .filter((file) => !file.startsWith("assets/"));
}

/** The jobs of a service without its HTTP, which take as long as their work, and where they are kept. */
async function exportJobs(): Promise<{ jobs: ExportJobs; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "jobs-"));
  const jobs = new ExportJobs({ folder, jobDurationMs: () => 0, now: () => clockMs, newId: randomUUID });
  onTestFinished(async () => {
    await jobs.reset();
    await rm(folder, { recursive: true });
  });
  return { jobs, folder };
}

describe("the admin API key", () => {
  test.each([
    ["GET", "/v2/agent/project/job/agent-1"],
    ["GET", "/v2/agent/project/job/agent-2"],
    ["POST", JOBS],
    ["GET", `${JOBS}/job-1`],
    ["POST", `${JOBS}/job-1/bundle`],
  ])("is needed for %s %s", async (method, path) => {
    service.agentJobs.create("project", { id: "agent-1" });
    expect(await call(method, path, undefined, "")).toEqual({
      status: 401,
      body: { error: "the admin API key is missing" },
    });
    expect(await call(method, path, undefined, "svc_another")).toEqual({
      status: 401,
      body: { error: "the admin API key is not valid" },
    });
  });

  test("is taken only as a bearer token", async () => {
    const response = await fetch(service.url + JOBS, {
      method: "POST",
      headers: { authorization: `Basic ${KEY}` },
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: "the admin API key is not a bearer token" });
  });

  test("must have the prefix of such keys", async () => {
    await expect(startReferenceService({ sites: {}, adminApiKey: "secret" })).rejects.toThrow("svc_");
  });
});

describe("starting an export job", () => {
  test("answers with the whole of a new job each time, as a look at it does", async () => {
    const { status, body } = await start();
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        jobId: expect.any(String) as string,
        domain: "docs.example.com",
        status: "queued",
        progress: 0,
        pageCount: 0,
        createdAt: "2030-01-01T12:00:00.000Z",
        updatedAt: "2030-01-01T12:00:00.000Z",
      },
    });
    expect(await startJob()).not.toBe(body["jobId"]);
  });

  test("takes the domain in any letter case", async () => {
    const jobId = await startJob({ domain: "Docs.Example.COM" });
    expect((await jobStatus(jobId))["domain"]).toBe("docs.example.com");
  });

  const NO_HOST = "the field domain must be a host name, such as docs.example.com";
  const NO_LIST = 'the field paths must be a list of at least one page, such as ["guides/one"]';
  const NO_PAGE = "the field paths names a page that is not there: ";
  const domain = "docs.example.com";
  test.each([
    ["no domain", {}, "the field domain is missing"],
    ["no payload", undefined, "the field domain is missing"],
    ["JSON that is no object", "null", "the field domain is missing"],
    ["malformed JSON", '{"domain":', expect.any(String)],
    ["a domain that is no text", { domain: 7 }, NO_HOST],
    ["an address", { domain: "https://docs.example.com/" }, NO_HOST],
    [
      "a domain that is not hosted here",
      { domain: "other.example.com" },
      "there is no deployment for the domain other.example.com",
    ],
    ["pages that are a text", { domain, paths: "one" }, NO_LIST],
    ["pages that are an empty list", { domain, paths: [] }, NO_LIST],
    ["pages that are a list with a number", { domain, paths: ["one", 7] }, NO_LIST],
    ["pages that are null", { domain, exportOptions: { paths: null } }, NO_LIST],
    ["no object of options", { domain, exportOptions: ["one"] }, "the field exportOptions must be an object"],
    ["a page that is not there", { domain, paths: ["one", "four"] }, `${NO_PAGE}four`],
    ["a path out of the source", { domain, paths: ["../one"] }, `${NO_PAGE}../one`],
    ["a page named as every object is", { domain, paths: ["constructor"] }, `${NO_PAGE}constructor`],
    ["a very long path", { domain, paths: ["é".repeat(100_000)] }, NO_PAGE + "é".repeat(100)],
  ])("is refused with %s", async (_case, body, error: unknown) => {
    expect(await call("POST", JOBS, body)).toEqual({ status: 400, body: { error } });
  });

  test("is refused for a site that is not on the enterprise plan", async () => {
    expect(await start({ domain: "trial.example.com" })).toEqual({
      status: 403,
      body: { error: "static export requires the enterprise plan; trial.example.com is on the starter plan" },
    });
  });
});

describe("an export job", () => {
  test("advances in progress and page count over its duration, then completes", async () => {
    const jobId = await startJob();
    const full = { jobId, domain: "docs.example.com", createdAt: new Date(NOON).toISOString() };
    const updatedAt = expect.any(String) as string; // the work took its own time of a clock that was set
    // the work itself takes its own time; after it only the clock decides, which here goes back for a look at each moment
    clockMs = NOON + JOB_DURATION_MS;
    await vi.waitFor(async () => expect((await jobStatus(jobId))["status"]).toBe("completed"), PATIENCE);
    for (const [share, progress, pageCount] of [
      [0.5, 50, 2],
      [0.75, 75, 3],
      [0.9999, 99, 3],
    ] as const) {
      clockMs = NOON + JOB_DURATION_MS * share;
      expect(await jobStatus(jobId)).toEqual({ ...full, status: "running", progress, pageCount, updatedAt });
    }
    clockMs = NOON + JOB_DURATION_MS;
    expect(await jobStatus(jobId)).toEqual({
      ...full,
      status: "completed",
      progress: 100,
      pageCount: 4,
      warnings: [],
      updatedAt: new Date(NOON + JOB_DURATION_MS).toISOString(),
    });
  });

  test("is never completed before it is rendered, however far the clock", async () => {
    const jobId = await startJob();
    clockMs += 365 * 86_400_000;
    const seen = new Set<unknown>();
    await vi.waitFor(async () => {
      const { status, progress } = await jobStatus(jobId);
      seen.add(status);
      if (status !== "completed") expect(progress).toBeLessThan(100);
      clockMs += JOB_DURATION_MS;
      expect(status).toBe("completed");
    }, PATIENCE);
    expect(["queued", "running"]).toEqual(expect.arrayContaining([...seen].slice(0, 1)));
  });

  test("waits in the queue while an earlier one is rendered", async () => {
    const { jobs, folder } = await exportJobs();
    const [first, second] = ["a.example.com", "b.example.com"].map(
      (domain) => jobs.start({ domain, source }).jobId,
    ) as [string, string];
    await vi.waitFor(() => expect(jobs.status(first)?.status).toBe("running"), { ...PATIENCE, interval: 0 });
    expect(jobs.status(second)).toMatchObject({ status: "queued", progress: 0, pageCount: 0 });
    await vi.waitFor(() => expect(jobs.status(second)?.status).toBe("completed"), PATIENCE);
    await jobs.reset();
    expect(await readdir(folder)).toEqual([]);
  });

  test("that cannot read its source fails, with a reason", async () => {
    const job = await failedJob({ domain: "lost.example.com" });
    expect(job).toEqual({
      jobId: job["jobId"],
      domain: "lost.example.com",
      status: "failed",
      progress: 0,
      pageCount: 0,
      createdAt: new Date(NOON).toISOString(),
      updatedAt: new Date(NOON).toISOString(),
      error: "the export of lost.example.com failed: the source cannot be read (ENOENT)",
    });
    expect(await call("POST", `${JOBS}/${String(job["jobId"])}/bundle`)).toMatchObject({ status: 409 });
  });

  test("without a Markdown file fails, with a reason", async () => {
    for (const file of await readdir(source)) await rm(join(source, file));
    expect((await failedJob())["error"]).toBe(
      "the export of docs.example.com failed: there is no Markdown file in the source folder",
    );
  });

  test("that nobody started is not found", async () => {
    const missing = { status: 404, body: { error: "there is no export job job-1" } };
    expect(await call("GET", `${JOBS}/job-1`)).toEqual(missing);
    expect(await call("POST", `${JOBS}/job-1/bundle`)).toEqual(missing);
  });
});

describe("the pages of an export", () => {
  test.each([
    ["beside the domain", { paths: ["one", "/two.md", "three.html"] }, 3],
    ["in exportOptions", { exportOptions: { paths: ["/", "one", "/one"] }, theme: "dark" }, 2],
    ["not at all", { exportOptions: {} }, 4],
  ])("are those that the start names %s", async (_where, fields, pageCount) => {
    expect(await completeJob(fields)).toMatchObject({ pageCount, warnings: [] });
  });

  test("are all that the bundle has, beside a start page; links to others are named", async () => {
    await writeFile(join(source, "one.md"), "# One\n[start](index.md) [two](two.md) [gone](gone.md)");
    const { jobId, warnings } = await completeJob({ paths: ["one", "two"] });
    expect(warnings).toEqual([
      "one.md: index.md: not among the pages of this export",
      "one.md: gone.md: no such file in the source",
    ]);
    expect(await listPages(jobId)).toEqual(["404.html", "index.html", "one.html", "two.html"]);
  });
});

describe("a bundle", () => {
  test("comes with its job and its size, and unpacks to the pages of the site", async () => {
    const { jobId } = await completeJob();
    const { status, body } = await call("POST", `${JOBS}/${jobId}/bundle`);
    const { bytes } = await download(String(body["bundleUrl"]));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jobId,
        bundleUrl: expect.any(String) as string,
        expiresAt: new Date(clockMs + LINK_LIFETIME_MS).toISOString(),
        sizeBytes: bytes.length,
      },
    });
    const pages = ["404.html", "index.html", "one.html", "three.html", "two.html"];
    expect(await listPages(jobId)).toEqual(pages);
  });

  test("that could not be packed is packed again at the next call", async () => {
    const { jobs, folder } = await exportJobs();
    const { jobId } = jobs.start({ domain: "docs.example.com", source });
    await vi.waitFor(() => expect(jobs.status(jobId)?.status).toBe("completed"), PATIENCE);
    const page = join(folder, jobId, "one.html");
    await rename(page, `${page}.away`);
    await expect(jobs.archive(jobId)).rejects.toThrow("one.html");
    expect(await jobs.packedArchive(jobId)).toBeUndefined();
    await rename(`${page}.away`, page);
    expect((await jobs.archive(jobId)).size).toBeGreaterThan(1000);
  });

  test("cannot be made before its job is completed", async () => {
    const { status, body } = await call("POST", `${JOBS}/${await startJob()}/bundle`);
    expect(status).toBe(409);
    expect(body["error"]).toMatch(/a bundle can be made once it is completed/);
  });

  test("is reached by a link until it expires, and after that by a fresh link, another one at the same moment, too", async () => {
    const { jobId } = await completeJob();
    const link = await mintLink(jobId);
    expect(await mintLink(jobId)).not.toBe(link);
    const first = await download(link);
    expect(first.status).toBe(200);

    clockMs += LINK_LIFETIME_MS - 1;
    expect((await download(link)).status).toBe(200);
    clockMs += 1;
    const expired = await download(link);
    expect(expired.status).toBe(403);
    expect(JSON.parse(expired.bytes.toString())).toEqual({ error: "the link has expired" });
    expect((await download(await mintLink(jobId))).bytes).toEqual(first.bytes);
  });

  test.each([
    ["a later expiry", (url: URL) => url.searchParams.set("expires", String(clockMs * 2))],
    ["another signature", (url: URL) => url.searchParams.set("signature", "0".repeat(64))],
    ["no signature", (url: URL) => url.searchParams.delete("signature")],
    ["another job", (url: URL) => (url.pathname = url.pathname.replace(/[^/]+\.tar\.gz/, "job-1.tar.gz"))],
  ])("is refused to a link with %s", async (_change, change) => {
    const url = new URL(await mintLink((await completeJob()).jobId));
    change(url);
    const refused = await download(url.href);
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.bytes.toString())).toEqual({ error: "the link is not valid" });
  });

  test("can be downloaded in parts that join to the same bytes", async () => {
    const link = await mintLink((await completeJob()).jobId);
    const whole = await download(link);
    const size = whole.bytes.length;
    const etag = whole.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    expect(whole.headers.get("content-length")).toBe(String(size));

    const head = await download(link, { range: "bytes=0-999" });
    const rest = await download(link, { range: "bytes=1000-", "if-range": etag });
    expect([head.status, rest.status]).toEqual([206, 206]);
    expect(rest.headers.get("content-range")).toBe(`bytes 1000-${size - 1}/${size}`);
    expect(Buffer.concat([head.bytes, rest.bytes])).toEqual(whole.bytes);
    // each tells the digest of the whole, so that whoever joined the parts can check them
    const digest = `sha-256=:${createHash("sha256").update(whole.bytes).digest("base64")}:`;
    for (const { headers } of [whole, head, rest]) expect(headers.get("repr-digest")).toBe(digest);

    const tail = await download(link, { range: "bytes=-10" });
    expect(tail.bytes).toEqual(whole.bytes.subarray(-10));
    const ofAnotherVersion = await download(link, { range: "bytes=1000-", "if-range": '"another"' });
    expect(ofAnotherVersion).toMatchObject({ status: 200, bytes: whole.bytes });
    const beyond = await download(link, { range: `bytes=${size}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get("content-range")).toBe(`bytes */${size}`);
    const none = await download(link, {}, "HEAD");
    expect(none).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    expect(none.headers.get("content-length")).toBe(String(size));
  });

  test("shows new content only in a new export; the old job keeps the old", async () => {
    const bytesOf = async (jobId: string): Promise<Buffer> => (await download(await mintLink(jobId))).bytes;
    const { jobId: oldJob } = await completeJob();
    const oldBytes = await bytesOf(oldJob);
    await writeFile(join(source, "one.md"), "# Changed");
    expect(await bytesOf((await completeJob()).jobId)).not.toEqual(oldBytes);
    expect(await bytesOf(oldJob)).toEqual(oldBytes);
  });
});

describe("for tests", () => {
  test("every request is logged, without the key and without the signature of a link", async () => {
    const { jobId } = await completeJob();
    await download(await mintLink(jobId));
    await call("GET", `${JOBS}/job-1`, undefined, "");
    const [first] = service.requests;
    const domain = "docs.example.com";
    const withKey = { hasAuthorization: true, domain };
    const withoutKey = { method: "GET", hasAuthorization: false };
    expect(first).toEqual({ method: "POST", path: JOBS, status: 202, ...withKey });
    expect(service.requests.slice(-3)).toEqual([
      { method: "POST", path: `${JOBS}/${jobId}/bundle`, status: 200, jobId, ...withKey },
      { path: `/bundles/${jobId}.tar.gz`, status: 200, domain, jobId, ...withoutKey },
      { path: `${JOBS}/job-1`, status: 401, ...withoutKey },
    ]);
    expect(JSON.stringify(service.requests)).not.toContain(KEY);
  });

  test("the log of requests has an end, and so has each text in it, also without a key", async () => {
    const long = await startReferenceService({ sites: {}, adminApiKey: KEY, loggedRequests: 3 });
    const nameless = serviceCalls(long.url, "");
    for (let index = 1; index <= 5; index++) await nameless("GET", `/${index}/${"a".repeat(15_000)}`);
    await nameless("POST", "/6", { domain: "b".repeat(100_000) });
    await long.close();
    expect(long.requests.map(({ path }) => path.slice(0, 3))).toEqual(["/4/", "/5/", "/6"]);
    expect(long.requests.map(({ path }) => path.length)).toEqual([1_024, 1_024, 2]);
    expect(long.requests[2]?.domain).toHaveLength(1_024);
  });

  test("what the service did not expect is told to whoever runs it, and clients learn no path of the machine", async () => {
    const output = vi.spyOn(console, "error").mockImplementation(() => undefined);
    service.intercept(() => {
      throw new Error(`ENOENT: no such file, open '${source}/one.html'`);
    });
    expect(await start()).toEqual({
      status: 500,
      body: { error: "the service failed; what happened is in its own output" },
    });
    expect(String(output.mock.calls[0]?.[1])).toContain(source);
    output.mockRestore();
  });

  test("a request can be answered differently, until the interceptor is taken away", async () => {
    const remove = service.intercept(({ method, domain }) =>
      method === "POST" && domain === "docs.example.com"
        ? { status: 503, headers: { "retry-after": "2" }, body: { error: "busy" } }
        : undefined,
    );
    expect(await start()).toEqual({ status: 503, body: { error: "busy" } });
    expect((await call("GET", `${JOBS}/job-1`)).status).toBe(404);
    remove();
    await startJob();
  });

  test("a connection can be closed before or after the request was handled", async () => {
    for (const hangUp of ["unprocessed", "processed"] as const) {
      const remove = service.intercept(({ method }) => (method === "POST" ? { hangUp } : undefined));
      await expect(start()).rejects.toThrow();
      remove();
    }
    expect(service.requests.map(({ status }) => status)).toEqual([undefined, 202]);
  });

  test("a site can be replaced, and reset forgets everything and brings the first site back", async () => {
    service.setSite("docs.example.com", { source, plan: "starter" });
    service.agentJobs.create("project", { id: "agent-1" });
    service.intercept(() => undefined);
    expect((await start()).status).toBe(403);
    await service.reset();
    expect(service.requests).toEqual([]);
    const jobId = await startJob();
    await service.reset();
    expect((await call("GET", `${JOBS}/${jobId}`)).status).toBe(404);
    expect((await call("GET", "/v2/agent/project/job/agent-1")).status).toBe(404);
  });

  test("replies carry the time of the service's own clock", async () => {
    const response = await fetch(service.url);
    expect(response.headers.get("date")).toBe("Tue, 01 Jan 2030 12:00:00 GMT");
  });
});
