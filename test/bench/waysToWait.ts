import { createRequire } from "node:module";
import { createWaiter, waiterServiceDefaults, WaiterState } from "@smithy/util-waiter";
import { sleep } from "../../dist/provider/time/clock.js";
import { startDeadline } from "../../dist/provider/time/deadline.js";
import { waitUntilFinal } from "../../dist/provider/waiting/waiter.js";
import type { VirtualClock } from "../simulation/virtualClock.ts";
import { onVirtualTime } from "./onVirtualTime.ts";

/** What a look at a job shows. */
export interface Seen {
  done: boolean;
  progress: number | undefined;
}

/** Looks at a job until it is done. */
export type WayToWait = (clock: VirtualClock, look: () => Promise<Seen>) => Promise<unknown>;

const FOR_EVER_MS = 86_400_000;
const NEVER = new AbortController().signal;

const { version } = createRequire(import.meta.url)("@smithy/util-waiter/package.json") as { version: string };

const ours: WayToWait = (clock, look) =>
  waitUntilFinal({
    subject: "the job",
    look,
    isFinal: ({ done }) => done,
    describe: ({ progress }) => ({ status: "running", ...(progress !== undefined && { progress }) }),
    onLook: () => undefined,
    inFlight: () => 1,
    clock,
    deadline: startDeadline(clock, FOR_EVER_MS),
    signal: NEVER,
  });

/** What scripts do: look, sleep, look. */
const fixedLoop =
  (pauseMs: number): WayToWait =>
  async (clock, look) => {
    while (!(await look()).done) await sleep(clock, pauseMs, NEVER);
  };

/** The waiter of the AWS SDK, as published, with its own defaults of 2 s to 120 s. */
const smithy: WayToWait = (clock, look) =>
  onVirtualTime(clock, async () => {
    const { state } = await createWaiter(
      { ...waiterServiceDefaults, client: {}, maxWaitTime: FOR_EVER_MS / 1_000 },
      {},
      async () => ({
        state: (await look()).done ? WaiterState.SUCCESS : WaiterState.RETRY,
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
