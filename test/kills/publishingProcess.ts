// Publishes a site with a number of files in a folder, as a copy does. May be killed at any time. Arguments: folder, number of
// files. Prints "ready" when all are written, waits for a line, and prints "done" at the end.
import { once } from "node:events";
import { Readable } from "node:stream";
import fetch from "node-fetch";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { startDeadline, systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import type { DraftingDestination } from "../../dist/provider/publishing/destinations/destination.js";
import { destinationOf } from "../../dist/provider/publishing/destinations/destinationOf.js";

const [, , folder = "", files = ""] = process.argv;
const silent = (): undefined => undefined;
const destination = destinationOf({ folder, layout: "site" }) as DraftingDestination;
const draft = await destination.begin(
  { path: "", format: "tar.gz", sha256: "ab".repeat(32), size: 1, version: "v1" },
  {
    fetch,
    clock: systemClock,
    reporter: { progress: silent, debug: silent, info: silent, warn: silent },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(systemClock, 60_000),
    environment: silent,
    scratch: () => Promise.reject(new Error("not needed")),
    // of one resource: its runs come one after the other, or from two machines at once
    owner: { id: "0".repeat(32), urn: undefined, hasMarks: true },
  },
);
for (let number = 0; number < Number(files); number++) {
  const content = Readable.from([Buffer.from(`page ${number}`)]);
  await draft.sink?.file({ path: `folder-${number % 20}/${number}.html`, size: 8 }, content);
}
console.log("ready");
await once(process.stdin, "data");
await draft.publish();
console.log("done");
process.exit();
