/** Child process of the thousand-pages bench: the whole way through the service, so that the peak memory is the service's. */
import { setTimeout as delay } from "node:timers/promises";
import { startReferenceService } from "../../examples/reference-service/index.ts";

const POLL_INTERVAL_MS = 200;

const domain = "docs.example.com";
const adminApiKey = "svc_bench";
const service = await startReferenceService({ sites: { [domain]: process.argv[2] ?? "" }, adminApiKey });

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/v1/static-export/jobs${path}`, {
    method,
    headers: { authorization: `Bearer ${adminApiKey}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

const startedMs = performance.now();
const { jobId } = await call("POST", "", { domain });
let longestPollMs = 0;
let job = await call("GET", `/${String(jobId)}`);
while (job["status"] === "queued" || job["status"] === "running") {
  await delay(POLL_INTERVAL_MS);
  const pollMs = performance.now();
  job = await call("GET", `/${String(jobId)}`);
  longestPollMs = Math.max(longestPollMs, performance.now() - pollMs);
}
if (job["status"] !== "completed") throw new Error(String(job["error"]));
const { bundleUrl } = await call("POST", `/${String(jobId)}/bundle`);
const archive = await fetch(String(bundleUrl), { method: "HEAD" });
const seconds = (performance.now() - startedMs) / 1000;
await service.close();

console.log(
  JSON.stringify({
    pages: job["pageCount"],
    seconds,
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
    archiveMiB: Number(archive.headers.get("content-length")) / 2 ** 20,
    longestPollMs,
  }),
);
