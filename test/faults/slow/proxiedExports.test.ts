// Two hundred real exports, at the reference service behind toxiproxy: one connection in five breaks.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { expect, onTestFinished, test } from "vitest";
import { startReferenceService } from "../../../examples/reference-service/index.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { UnfinishedError } from "../../../provider/resource/unfinishedError.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { MemoryRecords } from "../../simulation/memoryRecords.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { KEY, show } from "../canary.ts";
import { toxicProxy, withToxiproxy } from "./toxiproxy.ts";

const EXPORTS = 200;
const AT_ONCE = 10;
/** A run that gives up says so, and the next one goes on: more of them than this are never needed. */
const MAX_RUNS = 5;

withToxiproxy();

test(`${EXPORTS} exports through a proxy that breaks every fifth connection all end well, with a job each`, async () => {
  const site = mkdtempSync(join(tmpdir(), "site-"));
  writeFileSync(join(site, "index.md"), "# Welcome\n");
  const service = await startReferenceService({
    sites: { "docs.example.com": site },
    adminApiKey: KEY,
    jobDurationMs: 300,
    idempotentStarts: true,
  });
  onTestFinished(async () => {
    await service.close();
    rmSync(site, { recursive: true });
  });
  const proxy = await toxicProxy(Number(new URL(service.url).port));
  await proxy.poison("reset_peer", { timeout: 0 }, 0.1);
  await proxy.poison("limit_data", { bytes: 60 }, 0.06);
  await proxy.poison("timeout", { timeout: 20 }, 0.06);

  /** @returns how many runs it took */
  const exportOnce = async (number: number): Promise<number> => {
    const clock = new FasterClock(20);
    clock.random = Math.random;
    const reporter = recordingReporter();
    show(reporter.lines);
    const context = {
      configuration: { environment: () => KEY, stackConfig: () => undefined },
      fetch: nodeFetch,
      clock,
      reporter,
      resumeRecords: new MemoryRecords(() => clock.now()),
      urn: `urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs-${number}`,
      machine: "build-agent",
      inFlight: () => AT_ONCE,
      signal: new AbortController().signal,
    };
    const inputs = { domain: "docs.example.com", baseUrl: proxy.baseUrl, apiKeyEnv: "KEY" };
    let state: StaticExportState | undefined;
    for (let run = 1; run <= MAX_RUNS; run++) {
      try {
        state = state
          ? await staticExport.update(context, state, inputs)
          : await staticExport.create(context, inputs);
        if (state.outputs.bundleUrl !== undefined) return run;
      } catch (error) {
        show(error);
        if (error instanceof UnfinishedError) state = error.state as StaticExportState;
      }
    }
    return Infinity;
  };
  const runs: number[] = [];
  const waiting = Array.from({ length: EXPORTS }, (_, number) => number);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        runs.push(await exportOnce(next));
    }),
  );

  const { requests } = service;
  const jobs = new Set(requests.flatMap(({ path }) => /\/jobs\/([^/]+)/.exec(path)?.[1] ?? []));
  console.log(
    `${runs.filter((count) => count === 1).length} of ${EXPORTS} exports in the first run, ` +
      `${runs.filter((count) => count === 2).length} in the second, ${runs.filter((count) => count > 2).length} later; ` +
      `${requests.length} requests arrived`,
  );
  expect(runs.filter(Number.isFinite)).toHaveLength(EXPORTS);
  expect(jobs.size).toBe(EXPORTS);
}, 180_000);
