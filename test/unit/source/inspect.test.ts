// The messages about a bundle that loads something from other hosts, or could not be inspected.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inspect } from "../../../provider/source/inspect.ts";
import type { LimitedContext } from "../../../provider/resource/withinLimit.ts";
import { noTracer } from "../../../provider/tracing/tracer.ts";
import { type Entry, SITE, tarGz } from "../../chart/tarArchive.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";

const LOAD: Entry = { name: "page.html", content: '<img src="https://cdn.example/x">' };
const UNKNOWN: Entry = { name: "guide.html.zst", content: "x" };
const LOADS = "pages of v1 load from other hosts, such as https://cdn.example/x on page.html";
const NOT_INSPECTED =
  "files of v1 were not inspected, such as guide.html.zst (not inspected: its compressed data is invalid, or has more than 16 MiB)";

async function warningsOf(entries: readonly Entry[], requireSelfContained: boolean): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "inspect-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const archive = tarGz([...SITE, ...entries]);
  const path = join(folder, "bundle");
  writeFileSync(path, archive);
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const reporter = recordingReporter();
  const context = { reporter, tracer: noTracer, signal: new AbortController().signal };
  const limits = { archiveBytes: 1e6, unpackedBytes: 1e6, files: 100 };
  await inspect(
    context as unknown as LimitedContext,
    { requireSelfContained, limits },
    { path, format: "tar.gz", sha256, size: archive.length, version: "v1" },
  );
  return reporter.lines.warn;
}

test.each([
  ["nothing of a site that needs nobody", [], []],
  [
    "a load",
    [LOAD],
    [
      `${LOADS}: where these hosts cannot be reached, the pages lack what they load; the output externalLoads names them`,
    ],
  ],
  [
    "a file that was not inspected",
    [UNKNOWN],
    [`${NOT_INSPECTED}: what they load from other hosts is not known; the output externalLoads names them`],
  ],
  [
    "both",
    [UNKNOWN, LOAD],
    [
      `${LOADS}; ${NOT_INSPECTED}: where these hosts cannot be reached, the pages lack what they load; the output externalLoads names them`,
    ],
  ],
])("%s is reported", async (_what, entries, warnings) => {
  expect(await warningsOf(entries, false)).toEqual(warnings);
});

test.each([
  ["a load", [LOAD], `${LOADS} (1 found)`],
  ["a file that was not inspected", [UNKNOWN], `${NOT_INSPECTED} (1 found)`],
  ["both", [UNKNOWN, LOAD], `${LOADS}; ${NOT_INSPECTED} (2 found)`],
])("with requireSelfContained, %s is refused", async (_what, entries, message) => {
  await expect(warningsOf(entries, true)).rejects.toThrow(message);
  expect(await warningsOf([], true)).toEqual([]);
});
