import { createRequire } from "node:module";
import { createWaiter, waiterServiceDefaults, WaiterState } from "@smithy/util-waiter";
import { sleep, startDeadline } from "../../dist/provider/base/runtime/time/clock.js";
import { waitForJob } from "../../dist/provider/service/polling/jobWait.js";
import type { VirtualClock } from "../simulation/virtualClock.ts";
import { onVirtualTime } from "./onVirtualTime.ts";

/** The result of a poll. */
export interface Seen {
  done: boolean;
  progress: number | undefined;
}

/** Polls a job until it is done. */
export type WayToWait = (clock: VirtualClock, poll: () => Promise<Seen>) => Promise<unknown>;

const FOR_EVER_MS = 86_400_000;
const NEVER = new AbortController().signal;
const silent = (): void => undefined;
const SILENT = { progress: silent, debug: silent, info: silent, warn: silent };

const { version } = createRequire(import.meta.url)("@smithy/util-waiter/package.json") as { version: string };

const ours: WayToWait = (clock, readJob) =>
  waitForJob({
    name: "the job",
    subject: "the job",
    poll: async () => {
      const { done, progress } = await readJob();
      const outcome = done ? "success" : "pending";
      const seen = { status: "running", outcome, isUnexpected: false } as const;
      return progress === undefined ? seen : { ...seen, progress };
    },
    reporter: SILENT,
    runningOperations: () => 1,
    clock,
    deadline: startDeadline(clock, FOR_EVER_MS),
    signal: NEVER,
  });

/** As scripts do: poll, sleep, poll. */
const fixedLoop =
  (pauseMs: number): WayToWait =>
  async (clock, readJob) => {
    while (!(await readJob()).done) await sleep(clock, pauseMs, NEVER);
  };

/** The waiter of the AWS SDK, as published, with its own defaults of 2 s to 120 s. */
const smithy: WayToWait = (clock, readJob) =>
  onVirtualTime(clock, async () => {
    const { state } = await createWaiter(
      { ...waiterServiceDefaults, client: {}, maxWaitTime: FOR_EVER_MS / 1_000 },
      {},
      async () => ({
        state: (await readJob()).done ? WaiterState.SUCCESS : WaiterState.RETRY,
      }),
    );
    if (state !== WaiterState.SUCCESS) throw new Error(`the waiter ended with ${state}`);
  });

export const WAYS_TO_WAIT = {
  ours,
  "loop of 10 s": fixedLoop(10_000),
  "loop of 2 s": fixedLoop(2_000),
  [`@smithy/util-waiter ${version}`]: smithy,
} satisfies Record<string, WayToWait>;
