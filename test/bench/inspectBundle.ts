/** Child process of the inspect bench: inspects one bundle, and reports the cost. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inspectBundle } from "../../dist/provider/site/inspection/bundle.js";

const [path = "", files = ""] = process.argv.slice(2);
const ignore = (): void => undefined;
const reporter = { progress: ignore, debug: ignore, info: ignore, warn: ignore };

const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
const idleMiB = process.memoryUsage.rss() / 2 ** 20;
const beginMs = performance.now();
const inspection = await inspectBundle(
  { path, format: "tar.gz", sha256 },
  { unpackedBytes: 10e9, files: 2 * Number(files) },
  { signal: new AbortController().signal, reporter },
);
const seconds = (performance.now() - beginMs) / 1_000;
if (inspection.files !== Number(files) || !inspection.selfContained)
  throw new Error(JSON.stringify(inspection));
const peakMiB = process.resourceUsage().maxRSS / 1_024 - idleMiB;
console.log(JSON.stringify({ seconds, peakMiB }));
