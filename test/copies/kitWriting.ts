// A run that writes a kit, in its own process that tests kill: for `kitKills.test.ts`. Arguments: base, archive, its SHA-256,
// folder for kits, scratch folder. Prints "begun", then "done" and the kit's name.
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import fetch from "node-fetch";
import type * as Kit from "../../provider/kit/writeKit.ts";
import type * as Clock from "../../provider/time/clock.ts";
import type * as Deadline from "../../provider/time/deadline.ts";
import type * as Words from "../../provider/messages/secrets.ts";

const load = createRequire(import.meta.url);
const { writeKit } = load("../../dist/provider/kit/writeKit.js") as typeof Kit;
const { systemClock } = load("../../dist/provider/time/clock.js") as typeof Clock;
const { startDeadline } = load("../../dist/provider/time/deadline.js") as typeof Deadline;
const { Secrets } = load("../../dist/provider/messages/secrets.js") as typeof Words;

const [base = "", path = "", sha256 = "", folder = ""] = process.argv.slice(2);
const nothing = (): void => undefined;
console.log("begun");
const { size } = await stat(path);
const { name } = await writeKit(
  {
    bundle: { path, format: "tar.gz", sha256, size, version: "v1", root: "", leftOut: [] },
    limits: { unpackedBytes: 1e9, files: 100 },
    images: [base],
    platforms: ["linux/amd64", "linux/arm64"],
    values: {},
    earlier: [],
  },
  { folder, owner: "urn" },
  {
    fetch,
    clock: systemClock,
    reporter: { progress: nothing, debug: nothing, info: nothing, warn: nothing },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(systemClock, 60_000),
    environment: () => undefined,
  },
);
console.log(`done ${name}`);
