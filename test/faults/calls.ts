import nodeFetch from "node-fetch";
import { expect } from "vitest";
import { Pacers } from "../../provider/base/http/pacer.ts";
import type { DocsHostingError } from "../../provider/base/runtime/messages/errors.ts";
import { withoutSecrets } from "../../provider/base/runtime/messages/reporter.ts";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../provider/base/runtime/time/clock.ts";
import { noTracer } from "../../provider/base/runtime/tracing/tracer.ts";
import { Client } from "../../provider/service/client.ts";
import { serviceSettings } from "../../provider/service/configuration.ts";
import { JobsSeen } from "../../provider/service/jobsSeen.ts";
import { FasterClock } from "../simulation/fasterClock.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { KEY, show } from "./canary.ts";
import { LINK_END } from "./replies.ts";

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
  /** Limit of the whole operation. */
  limitMs?: number;
  /** Speed of the clock. */
  speed?: number;
  /** Variables besides that of the API key. */
  environment?: Readonly<Record<string, string>>;
  /** Called at each progress message to the user, such as of a failed attempt. */
  onProgress?: () => void;
  /** Stops the operation. */
  signal?: AbortSignal;
}

/** A client as in one operation of the provider, over real sockets and on a clock that runs 20 times faster. */
export function operation(
  baseUrl: string,
  {
    limitMs = 30 * 60_000,
    speed = 20,
    environment = {},
    onProgress = () => undefined,
    signal = new AbortController().signal,
  }: Circumstances = {},
): {
  calls: Record<CallName, () => Promise<unknown>>;
  secrets: Secrets;
  lines: Outcome["lines"];
  clock: FasterClock;
} {
  const clock = new FasterClock(speed);
  const recorded = recordingReporter();
  show(recorded.lines);
  const variables: Readonly<Record<string, string>> = { ...environment, DOCS_HOSTING_ADMIN_API_KEY: KEY };
  const secrets = new Secrets();
  const configuration = {
    secrets,
    environment: (name: string) => variables[name],
    stackConfig: () => undefined,
  };
  const reporter = withoutSecrets(recorded, secrets);
  const client = new Client({
    service: serviceSettings(configuration, { baseUrl }),
    fetch: nodeFetch,
    clock,
    pacers: new Pacers(clock),
    jobsSeen: new JobsSeen(),
    tracer: noTracer,
    secrets,
    reporter: {
      ...reporter,
      progress: (line) => {
        reporter.progress(line);
        onProgress();
      },
    },
    signal,
    deadline: startDeadline(clock, limitMs),
  });
  const calls = {
    start: () => client.startExport({ domain: "docs.example.com" }).then(({ jobId }) => jobId),
    status: () => client.getExport("job-1", "docs.example.com"),
    bundle: () => client.createBundle("job-1", "docs.example.com"),
  };
  return { calls, secrets, lines: recorded.lines, clock };
}

/** Makes one call to the end. */
export async function ask(call: CallName, baseUrl: string, circumstances?: Circumstances): Promise<Outcome> {
  const outcome: Outcome = { lines: recordingReporter().lines, waits: [], tookMs: 0 };
  try {
    const { calls, secrets, lines, clock } = operation(baseUrl, circumstances);
    Object.assign(outcome, { lines, waits: clock.waits });
    try {
      outcome.value = await calls[call]();
    } catch (error) {
      secrets.removeFromError(error);
      throw error;
    } finally {
      outcome.tookMs = clock.monotonic();
    }
  } catch (error) {
    show(error);
    outcome.error = error as DocsHostingError;
  }
  return outcome;
}

/** The warnings of a start with an unknown result. */
export const DUPLICATE = expect.stringContaining(
  "is sent once more; if the service received the first one, two jobs run",
) as string;
export const UNKNOWN_JOB = expect.stringContaining(
  "the service may have started a job whose id is unknown",
) as string;

/** No message for the user. */
export const NO_LINES: Outcome["lines"] = { progress: [], info: [], warn: [] };

/** The result of a call when the service works. */
export const GOOD_VALUE: Readonly<Record<CallName, unknown>> = {
  start: "job-1",
  status: { status: "running", outcome: "pending", isUnexpected: false, progress: 20, report: {} },
  bundle: {
    url: expect.stringContaining("https://store.example.test/job-1.tar.gz?") as string,
    mintedAtMs: expect.any(Number) as number,
    expiresAtMs: Date.parse(LINK_END),
  },
};
