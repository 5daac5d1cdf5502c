import type { CheckedExportInputs } from "../../../provider/staticExport/inputs.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { seededRandom } from "../seededRandom.ts";
import { newStack, type OperatedStack, Operator } from "./operator.ts";
import type { ProviderCode } from "./providerCode.ts";
import { type Outage, QuotaService } from "./quotaService.ts";
import { type RenewalContext, renewLink } from "./renewal.ts";
import { Timeline } from "./timeline.ts";

const HOUR_MS = 3_600_000;

/** A fleet, and its faults. */
export interface FleetOptions {
  readonly seed: number;
  readonly stacks: number;
  readonly sitesPerStack: number;
  readonly days: number;
  readonly linkLifeMs: number;
  /** All links are due at the beginning; else the stacks come one after the other. */
  readonly isAllAtOnce: boolean;
  readonly workers: number;
  readonly resyncMs: number;
  /** Concurrent renewals of one stack, in `pulumi up --parallel`. */
  readonly parallel: number;
  /** Time limit of a renewal, in milliseconds. */
  readonly renewalTimeoutMs: number;
  /** See `OperatorOptions`. */
  readonly wakeEveryMs: number | undefined;
  readonly perMinute: number;
  readonly outages: readonly Outage[];
  readonly failedPart: number;
  /** This share of the runs ends by a `kill -9`; the lock of its stack stays. */
  readonly killedPart: number;
  /** `pulumi cancel` at the start of a container removes the lock. */
  readonly isCancelledAtStart: boolean;
}

/** 10,000 sites in a week without faults, with all cures. */
export const CALM: FleetOptions = {
  seed: 20_261_123,
  stacks: 100,
  sitesPerStack: 100,
  days: 7,
  linkLifeMs: 24 * HOUR_MS,
  isAllAtOnce: false,
  workers: 25,
  resyncMs: HOUR_MS,
  parallel: 4,
  renewalTimeoutMs: 5 * 60_000,
  wakeEveryMs: HOUR_MS,
  perMinute: 20 * 60,
  outages: [],
  failedPart: 0,
  killedPart: 0,
  isCancelledAtStart: true,
};

export interface FleetFigures {
  /** Updates that the operator began. */
  readonly runs: number;
  readonly renewals: number;
  /** Hours without a valid link, of all sites together. */
  readonly siteHours: number;
  /** Stacks without a successful run in the last day. */
  readonly deadStacks: number;
  /** The longest time that a due stack waited for a worker, in milliseconds. */
  readonly longestWaitMs: number;
  /** Requests that the service refused for its quota. */
  readonly refused: number;
}

/** From the beginning of a run until its first request: pod, `pulumi install`, the program's start; 15 to 24 s were measured. */
const RUN_START_MS = 20_000;
/** Duration of a request and its answer, in milliseconds. */
const ROUND_TRIP_MS = { from: 100, to: 300 };
const DAY_MS = 24 * HOUR_MS;
const BEGIN_MS = Date.parse("2026-01-01T00:00:00Z");

interface Stack extends OperatedStack {
  /** The state of each site; sites whose links were created in the same second share one. */
  readonly states: StaticExportState[];
  lastGoodRunMs: number;
  isLocked: boolean;
}

/**
 * Simulates a fleet. The operator is a model; the provider's code decides when a link is due and what is sent again.
 *
 * @param everyHour called with the number of sites that have no valid link at that moment
 */
export function simulateFleet(
  code: ProviderCode,
  options: FleetOptions,
  everyHour: (sitesWithoutLink: number) => void = () => undefined,
): FleetFigures {
  const { parallel, days, linkLifeMs, renewalTimeoutMs, isAllAtOnce } = options;
  const random = seededRandom(options.seed);
  const timeline = new Timeline();
  const service = new QuotaService(options, random);
  const renewal: RenewalContext = {
    code,
    timeline,
    answer: (nowMs) => service.answer(nowMs),
    random,
    roundTripMs: () => ROUND_TRIP_MS.from + random() * (ROUND_TRIP_MS.to - ROUND_TRIP_MS.from),
  };
  // the domain has no effect
  const inputs: CheckedExportInputs = {
    domain: "docs.example.com",
    baseUrl: "https://api.example.test",
    apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
  };
  let renewals = 0;
  let withoutLinkMs = 0;

  /** As a `Date` header and an `expiresAt` of whole seconds have it. */
  const stateMintedAt = (atMs: number): StaticExportState => {
    const mintedAtMs = Math.floor((BEGIN_MS + atMs) / 1_000) * 1_000;
    const link = {
      url: "https://store.example.test/job-1",
      mintedAtMs,
      expiresAtMs: mintedAtMs + linkLifeMs,
    };
    return code.finishedState(inputs, { jobId: "job-1", report: {}, link }, undefined);
  };
  const endOf = ({ outputs: { expiresAt = "" } }: StaticExportState): number =>
    Date.parse(expiresAt) - BEGIN_MS;

  const run = (stack: Stack, ended: (isDone: boolean) => void): void => {
    const isKilled = random() < options.killedPart;
    timeline.after(RUN_START_MS, () => {
      if (stack.isLocked && !options.isCancelledAtStart) return ended(false);
      stack.isLocked = false;
      const due = dueSites(stack);
      // after this number of renewals
      const killedAfter = isKilled ? Math.floor(random() * (due.length + 1)) : Infinity;
      const killed = (): void => {
        stack.isLocked = true;
        ended(false);
      };
      if (killedAfter === 0) return killed();
      renewSites(stack, due, killedAfter, killed, (isDone) => {
        if (isDone) stack.lastGoodRunMs = timeline.nowMs;
        ended(isDone);
      });
    });
  };

  const isDue = (state: StaticExportState | undefined): boolean =>
    state !== undefined && code.planExport(inputs, state, BEGIN_MS + timeline.nowMs).action === "renew";

  /** All links live equally long: the older ones are due, up to one that a binary search finds. */
  const dueSites = ({ states }: Stack): number[] => {
    const mintedAt = (site: number): number => states[site]?.bookkeeping.mintedAtMs ?? 0;
    const sites = [...states.keys()].sort((one, other) => mintedAt(one) - mintedAt(other));
    const isDueAt = (index: number): boolean => isDue(states[sites[index] ?? 0]);
    if (!isDueAt(0)) return [];
    let [due, notDue] = [1, sites.length];
    while (due < notDue) {
      const middle = (due + notDue) >> 1;
      if (isDueAt(middle)) due = middle + 1;
      else notDue = middle;
    }
    return sites.slice(0, due);
  };

  const renewSites = (
    stack: Stack,
    due: readonly number[],
    killedAfter: number,
    killed: () => void,
    ended: (isDone: boolean) => void,
  ): void => {
    let begun = 0;
    let over = 0;
    let failed = 0;
    let isDead = false;
    /** The states of this run, by the second of their links. */
    const minted = new Map<number, StaticExportState>();
    const next = (): void => {
      const site = due[begun++];
      if (site === undefined) return;
      const renewed = (isRenewed: boolean): void => {
        if (isRenewed) {
          const second = Math.floor(timeline.nowMs / 1_000);
          const state = minted.get(second) ?? stateMintedAt(timeline.nowMs);
          minted.set(second, state);
          withoutLinkMs += Math.max(0, timeline.nowMs - endOf(stack.states[site] as StaticExportState));
          stack.states[site] = state;
          renewals++;
        } else failed++;
        if (++over === killedAfter) {
          isDead = true;
          return killed();
        }
        if (over === due.length) return ended(failed === 0);
        next();
      };
      renewLink(renewal, renewalTimeoutMs, renewed, () => isDead);
    };
    if (due.length === 0) return ended(true);
    for (let lane = 0; lane < Math.min(parallel, due.length); lane++) next();
  };

  /** From a new link until it is due, by the provider's code. */
  const freshMs = Date.parse(stateMintedAt(0).outputs.renewAfter ?? "") - BEGIN_MS;
  const stacks = Array.from({ length: options.stacks }, (): Stack => {
    const state = stateMintedAt(-freshMs * (isAllAtOnce ? 1 : random()));
    const states = new Array<StaticExportState>(options.sitesPerStack).fill(state);
    return { ...newStack(), states, lastGoodRunMs: 0, isLocked: false };
  });
  const operator = new Operator(timeline, options, run);
  operator.start(stacks, () => (isAllAtOnce ? 0 : random() * options.resyncMs));
  const lifeMs = days * DAY_MS;
  for (let atMs = HOUR_MS; atMs <= lifeMs; atMs += HOUR_MS) {
    timeline.after(atMs, () => {
      const states = stacks.flatMap((stack) => stack.states);
      everyHour(states.filter((state) => endOf(state) < timeline.nowMs).length);
    });
  }
  timeline.runUntil(lifeMs);
  for (const state of stacks.flatMap(({ states }) => states)) {
    withoutLinkMs += Math.max(0, lifeMs - endOf(state));
  }
  return {
    runs: operator.runs,
    renewals,
    siteHours: withoutLinkMs / HOUR_MS,
    deadStacks: stacks.filter(({ lastGoodRunMs }) => lastGoodRunMs < lifeMs - DAY_MS).length,
    longestWaitMs: operator.longestWaitMs,
    refused: service.refused,
  };
}
