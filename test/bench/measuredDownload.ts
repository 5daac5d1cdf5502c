/** Process of a bench: downloads what its arguments say, and reports the cost. With "idle" it only loads the same code. */
import { lookup } from "node:dns";
import { rmSync } from "node:fs";
import nodeFetch from "node-fetch";
import { Semaphore } from "../../dist/provider/base/runtime/concurrency/semaphore.js";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { startDeadline, systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { download } from "../../dist/provider/publishing/download/download.js";

const [, , url = "", folder = ""] = process.argv;
const silent = (): undefined => undefined;

/** The cost of a download. */
export interface DownloadCost {
  sha256: string;
  seconds: number;
  cpuSeconds: number;
  peakMiB: number;
}

const startedAt = performance.now();
let sha256 = "";
if (url !== "idle") {
  const downloaded = await download(
    {
      folder,
      name: "bench",
      mint: () => Promise.resolve({ url }),
      limitBytes: 2 ** 40,
      subject: "the bench",
      policy: { allowInsecure: false, publicStorageOnly: false },
      proxyFor: silent,
    },
    {
      fetch: nodeFetch,
      lookup,
      clock: { ...systemClock, random: () => 0 },
      downloads: new Semaphore(8),
      reporter: { progress: silent, debug: silent, info: silent, warn: silent },
      secrets: new Secrets(),
      signal: new AbortController().signal,
      deadline: startDeadline(systemClock, 600_000),
    },
  );
  ({ sha256 } = downloaded);
  downloaded.remove();
}
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage();
const cost: DownloadCost = {
  sha256,
  seconds,
  cpuSeconds: (user + system) / 1e6,
  peakMiB: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(cost));
if (folder !== "") rmSync(folder, { recursive: true, force: true });
