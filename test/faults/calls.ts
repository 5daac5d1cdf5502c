import nodeFetch from "node-fetch";
import { expect } from "vitest";
import { Client } from "../../provider/client.ts";
import { serviceSettings } from "../../provider/configuration.ts";
import { startDeadline } from "../../provider/deadline.ts";
import type { DocsHostingError } from "../../provider/errors.ts";
import { FasterClock } from "../simulation/fasterClock.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { KEY, show } from "./canary.ts";

/** The calls of a static export. */
export const CALLS = ["start", "status", "bundle"] as const;
export type CallName = (typeof CALLS)[number];

export interface Outcome {
  value?: unknown;
  error?: DocsHostingError;
  lines: ReturnType<typeof recordingReporter>["lines"];
  /** Pauses and limits that ran out, in milliseconds. */
  waits: number[];
  /** By the clock of the call, in milliseconds. */
  tookMs: number;
}

export interface Circumstances {
  /** Of the whole operation. */
  limitMs?: number;
  /** Of the clock. */
  speed?: number;
  /** Variables besides that of the API key. */
  environment?: Readonly<Record<string, string>>;
  /** Called whenever the user is told of progress, such as of a failed attempt. */
  onProgress?: () => void;
}

/** Makes one call to the end, over real sockets and on a clock that runs 20 times faster unless told otherwise. */
export async function ask(
  call: CallName,
  baseUrl: string,
  { limitMs = 30 * 60_000, speed = 20, environment = {}, onProgress = () => undefined }: Circumstances = {},
): Promise<Outcome> {
  const clock = new FasterClock(speed);
  const reporter = recordingReporter();
  const variables: Readonly<Record<string, string>> = { ...environment, DOCS_HOSTING_ADMIN_API_KEY: KEY };
  const outcome: Outcome = { lines: reporter.lines, waits: clock.waits, tookMs: 0 };
  try {
    const configuration = { environment: (name: string) => variables[name], stackConfig: () => undefined };
    const client = new Client({
      service: serviceSettings(configuration, { baseUrl }),
      fetch: nodeFetch,
      clock,
      reporter: {
        ...reporter,
        progress: (line) => {
          reporter.progress(line);
          onProgress();
        },
      },
      signal: new AbortController().signal,
      deadline: startDeadline(clock, limitMs),
    });
    outcome.value = await {
      start: () => client.startExport("docs.example.com"),
      status: () => client.getExport("job-1"),
      bundle: () => client.createBundle("job-1"),
    }[call]();
  } catch (error) {
    outcome.error = error as DocsHostingError;
  }
  outcome.tookMs = clock.monotonic();
  show(outcome.error ?? "", reporter.lines);
  return outcome;
}

/** What a call gives when the service is well. */
export const GOOD_VALUE: Readonly<Record<CallName, unknown>> = {
  start: "job-1",
  status: { status: "running", progress: 20 },
  bundle: {
    url: expect.stringContaining("https://store.example.test/job-1.tar.gz?") as string,
    mintedAtMs: expect.any(Number) as number,
    expiresAtMs: Date.UTC(2099, 0, 1),
  },
};
