// A run that puts a signed copy into a registry, in its own process that tests kill: for `signedKills.test.ts`. Arguments: repository,
// folder with the site, scratch folder. The key is in the variable SIGNING_KEY. Prints "begun", then "done", the image and the digests
// of the stored statements.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import fetch from "node-fetch";
import type * as Repository from "../../provider/destination/repository/repositoryDestination.ts";
import type * as Words from "../../provider/messages/secrets.ts";
import type * as Keys from "../../provider/signing/signer.ts";
import type * as Clock from "../../provider/time/clock.ts";
import type * as Deadline from "../../provider/time/deadline.ts";

const load = createRequire(import.meta.url);
const { repositoryDestination } = load(
  "../../dist/provider/destination/repository/repositoryDestination.js",
) as typeof Repository;
const { signerFrom } = load("../../dist/provider/signing/signer.js") as typeof Keys;
const { systemClock } = load("../../dist/provider/time/clock.js") as typeof Clock;
const { startDeadline } = load("../../dist/provider/time/deadline.js") as typeof Deadline;
const { Secrets } = load("../../dist/provider/messages/secrets.js") as typeof Words;

const [repository = "", site = "", scratch = ""] = process.argv.slice(2);
const nothing = (): void => undefined;
const bundle = {
  path: "/nowhere",
  format: "tar.gz",
  sha256: "ab".repeat(32),
  size: 1,
  version: "2",
  jobId: "job-2",
  domain: "docs.example.com",
} as const;
const draft = await repositoryDestination({ repository, tag: "current" }).begin(bundle, {
  fetch,
  clock: systemClock,
  reporter: { progress: nothing, debug: nothing, info: nothing, warn: nothing },
  secrets: new Secrets(),
  signal: new AbortController().signal,
  deadline: startDeadline(systemClock, 60_000),
  environment: () => undefined,
  scratch: () => Promise.resolve(scratch),
});
for (const path of (await readdir(site)).sort()) {
  const file = join(site, path);
  await draft.sink?.file({ path, size: (await stat(file)).size }, createReadStream(file));
}
console.log("begun");
const signer = signerFrom("SIGNING_KEY", { environment: (name) => process.env[name] });
const origin = { bundle, serviceUrl: "https://service.example.com" };
const { image } = await draft.publish(undefined, { signer, origin });
console.log(`done ${image ?? ""}`);
