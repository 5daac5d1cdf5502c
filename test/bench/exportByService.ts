/** Child process of the thousand-pages bench: the whole export through the service, so that the peak memory is the service's. */
import { setTimeout as delay } from "node:timers/promises";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { JOBS, serviceCalls } from "../service/serviceCalls.ts";

const POLL_INTERVAL_MS = 200;

const domain = "docs.example.com";
const adminApiKey = "svc_bench";
const service = await startReferenceService({ sites: { [domain]: process.argv[2] ?? "" }, adminApiKey });
const call = serviceCalls(service.url, adminApiKey);

const startedMs = performance.now();
let { body: job } = await call("POST", JOBS, { domain });
const path = `${JOBS}/${String(job["jobId"])}`;
let longestPollMs = 0;
while (job["status"] === "queued" || job["status"] === "running") {
  await delay(POLL_INTERVAL_MS);
  const pollMs = performance.now();
  ({ body: job } = await call("GET", path));
  longestPollMs = Math.max(longestPollMs, performance.now() - pollMs);
}
if (job["status"] !== "completed") throw new Error(String(job["error"]));
const { body: bundle } = await call("POST", `${path}/bundle`);
const seconds = (performance.now() - startedMs) / 1000;
await service.close();

console.log(
  JSON.stringify({
    pages: job["pageCount"],
    seconds,
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
    archiveMiB: Number(bundle["sizeBytes"]) / 2 ** 20,
    longestPollMs,
  }),
);
