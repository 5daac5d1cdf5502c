// Downloads the bundle that its arguments name, and prints its digest and path. May be killed at any time.
import { lookup } from "node:dns";
import nodeFetch from "node-fetch";
import { Semaphore } from "../../dist/provider/base/runtime/concurrency/semaphore.js";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { startDeadline, systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { download } from "../../dist/provider/publishing/download/download.js";

const [, , url = "", folder = ""] = process.argv;
const silent = (): undefined => undefined;

const { path, sha256, size } = await download(
  {
    folder,
    name: "job-1",
    mint: () => Promise.resolve({ url }),
    limitBytes: 2 ** 40,
    subject: "job job-1",
    policy: { allowInsecure: false, publicStorageOnly: false },
    proxyFor: silent,
  },
  {
    fetch: nodeFetch,
    lookup,
    clock: systemClock,
    downloads: new Semaphore(8),
    reporter: { progress: silent, debug: silent, info: silent, warn: silent },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(systemClock, 60_000),
  },
);
console.log(JSON.stringify({ path, sha256, size }));
