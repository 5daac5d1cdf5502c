// A run that puts a copy into a registry, in its own process that tests kill: for `repositoryKills.test.ts`. Arguments:
// repository, base, folder with the site, scratch folder. Prints "begun", then "done" and the image.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import fetch from "node-fetch";
import type * as Repository from "../../provider/destination/repository/repositoryDestination.ts";
import type * as Clock from "../../provider/time/clock.ts";
import type * as Deadline from "../../provider/time/deadline.ts";
import type * as Words from "../../provider/messages/secrets.ts";

const load = createRequire(import.meta.url);
const { repositoryDestination } = load(
  "../../dist/provider/destination/repository/repositoryDestination.js",
) as typeof Repository;
const { systemClock } = load("../../dist/provider/time/clock.js") as typeof Clock;
const { startDeadline } = load("../../dist/provider/time/deadline.js") as typeof Deadline;
const { Secrets } = load("../../dist/provider/messages/secrets.js") as typeof Words;

const [repository = "", base = "", site = "", scratch = ""] = process.argv.slice(2);
const nothing = (): void => undefined;
const draft = await repositoryDestination({ repository, base, tag: "current" }).begin(
  { path: "/nowhere", format: "tar.gz", sha256: "ab".repeat(32), size: 1, version: "2" },
  {
    fetch,
    clock: systemClock,
    reporter: { progress: nothing, debug: nothing, info: nothing, warn: nothing },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(systemClock, 60_000),
    environment: () => undefined,
    scratch: () => Promise.resolve(scratch),
  },
);
for (const path of (await readdir(site)).sort()) {
  const file = join(site, path);
  await draft.sink?.file({ path, size: (await stat(file)).size }, createReadStream(file));
}
console.log("begun");
const { image } = await draft.publish();
console.log(`done ${image ?? ""}`);
