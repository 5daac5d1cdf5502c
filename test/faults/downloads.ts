import { lookup } from "node:dns";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { expect, onTestFinished } from "vitest";
import { Semaphore } from "../../provider/base/runtime/concurrency/semaphore.ts";
import type { DocsHostingError } from "../../provider/base/runtime/messages/errors.ts";
import { withoutSecrets } from "../../provider/base/runtime/messages/reporter.ts";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../provider/base/runtime/time/clock.ts";
import {
  download,
  type DownloadContext,
  type Downloaded,
  type DownloadRequest,
} from "../../provider/publishing/download/download.ts";
import { FasterClock } from "../simulation/fasterClock.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { type BundleStore, digestOf } from "./bundleStore.ts";
import { show } from "./canary.ts";

export interface DownloadOutcome {
  value?: Downloaded;
  error?: DocsHostingError;
  lines: ReturnType<typeof recordingReporter>["lines"];
  clock: FasterClock;
}

/** A folder of the test's own, removed with it. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "download-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Downloads from a store, over real sockets, on a clock that runs 50 times faster. */
export async function fetched(
  store: Pick<BundleStore, "mint">,
  request: Partial<DownloadRequest> = {},
  context: Partial<DownloadContext> & { speed?: number; limitMs?: number } = {},
): Promise<DownloadOutcome> {
  const clock = new FasterClock(context.speed ?? 50);
  const secrets = new Secrets();
  const recorded = recordingReporter();
  const reporter = withoutSecrets(recorded, secrets);
  show(recorded.lines);
  const outcome: DownloadOutcome = { lines: recorded.lines, clock };
  const mint = request.mint ?? store.mint;
  try {
    outcome.value = await download(
      {
        folder: request.folder ?? ownFolder(),
        name: "job-1",
        limitBytes: 1e9,
        subject: "job job-1 of docs.example.com",
        policy: { allowInsecure: false, publicStorageOnly: false },
        proxyFor: () => undefined,
        ...request,
        mint: async () => {
          const link = await mint();
          secrets.addLink(link.url); // as the reader of the service's reply does
          return link;
        },
      },
      {
        fetch: nodeFetch,
        lookup,
        clock,
        reporter,
        secrets,
        downloads: new Semaphore(8),
        signal: new AbortController().signal,
        deadline: startDeadline(clock, context.limitMs ?? 30 * 60_000),
        ...context,
      },
    );
    show(outcome.value);
  } catch (error) {
    secrets.removeFromError(error);
    show(error);
    outcome.error = error as DocsHostingError;
  }
  return outcome;
}

/** All has arrived, no byte is wrong, and the digest is that of the bytes. */
export function expectBundle({ value, error }: DownloadOutcome, content: Buffer): void {
  expect(error).toBeUndefined();
  expect(value).toMatchObject({ sha256: digestOf(content), size: content.length });
  expect(readFileSync(value?.path ?? "").equals(content)).toBe(true);
}

/** The entries of a download folder: names of parts, without their owners. */
export function partsIn(folder: string): string[] {
  return readdirSync(folder).map((name) => name.replace(/\.free-.*|\.[0-9a-f]{16}-.*/, ""));
}
