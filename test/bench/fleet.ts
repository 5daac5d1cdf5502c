import { allowedRepeats, countedAs, retryDelayMs } from "../../dist/provider/base/http/retryPolicy.js";
import { planExport } from "../../dist/provider/staticExport/plan.js";
import { finishedState } from "../../dist/provider/staticExport/state.js";
import { CALM, type FleetFigures, type FleetOptions, simulateFleet } from "../simulation/fleet/fleet.ts";
import type { ProviderCode } from "../simulation/fleet/providerCode.ts";
import type { Outage } from "../simulation/fleet/quotaService.ts";
import { printTable, verdict } from "./resultTable.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** With all cures: 100 stacks at 168 resyncs, and what is retried. */
const LIMITS = { siteHours: 0, runs: 17_500, seconds: 10 };

export const CODE: ProviderCode = { planExport, finishedState, allowedRepeats, countedAs, retryDelayMs };

const outage = (minutes: number, fromHour: number, kind: Outage["kind"] = "answers"): Outage => ({
  fromMs: fromHour * HOUR_MS,
  toMs: fromHour * HOUR_MS + minutes * MINUTE_MS,
  kind,
});
const TEN_MINUTES = { outages: [outage(10, 60)] };
const SIX_HOURS = { outages: [outage(360, 60)] };
const LONG_LIMIT = { renewalTimeoutMs: 30 * MINUTE_MS };
/** No CronJob, no `pulumi cancel`. */
const AS_IT_IS = { wakeEveryMs: undefined, isCancelledAtStart: false };
const KILLS = { killedPart: 1 / 1_000 };
const FAILED_LOOKS = { failedPart: 0.01 };
const EVERYTHING = (kind: Outage["kind"]): Partial<FleetOptions> => ({
  ...KILLS,
  ...FAILED_LOOKS,
  outages: [outage(10, 40, kind), outage(360, 90, kind)],
});

/** What differs from a calm week with all cures; `isCured`: it must keep the limits. */
export const CASES: Readonly<Record<string, Partial<FleetOptions> & { isCured?: true }>> = {
  calm: { isCured: true },
  "all started at once": { isAllAtOnce: true, isCured: true },
  "outage of 10 min, limit 30 min, the operator as it is": { ...TEN_MINUTES, ...LONG_LIMIT, ...AS_IT_IS },
  "outage of 10 min, limit 5 min, the operator as it is": { ...TEN_MINUTES, ...AS_IT_IS },
  "outage of 10 min, limit 5 min, waking": { ...TEN_MINUTES, isCured: true },
  "outage of 6 h, limit 30 min, the operator as it is": { ...SIX_HOURS, ...LONG_LIMIT, ...AS_IT_IS },
  "outage of 6 h, limit 5 min, the operator as it is": { ...SIX_HOURS, ...AS_IT_IS },
  "outage of 6 h, nothing answers, the operator as it is": {
    outages: [outage(360, 60, "silent")],
    ...AS_IT_IS,
  },
  "outage of 6 h, limit 30 min, waking": { ...SIX_HOURS, ...LONG_LIMIT },
  "outage of 6 h, limit 5 min, waking": { ...SIX_HOURS, isCured: true },
  "outage of 6 h, nothing answers, waking": { outages: [outage(360, 60, "silent")], isCured: true },
  "1 kill in 1,000 runs, the lock stays, no waking": { ...KILLS, ...AS_IT_IS },
  "1 kill in 1,000 runs, the lock stays, waking": { ...KILLS, isCancelledAtStart: false },
  "1 kill in 1,000 runs, `pulumi cancel`": { ...KILLS, isCured: true },
  "1 % of all requests fail": { ...FAILED_LOOKS, isCured: true },
  "the service lets 1 a second through": { perMinute: 60, isCured: true },
  "the service lets 0.2 a second through (need: 0.174)": { perMinute: 12 },
  "the same at `parallel` 100": { perMinute: 12, parallel: 100 },
  "all faults, the operator as it is": { ...EVERYTHING("answers"), ...AS_IT_IS },
  "all faults, no waking": { ...EVERYTHING("answers"), wakeEveryMs: undefined },
  "all faults, no `pulumi cancel`": { ...EVERYTHING("answers"), isCancelledAtStart: false },
  "all faults, all cures": { ...EVERYTHING("answers"), isCured: true },
  "all faults, all cures, nothing answers": { ...EVERYTHING("silent"), isCured: true },
};

/** 10,000 sites in a week, by fault and cure: the operator's rules are a model, the provider's code is the real one. */
export function fleet(): Promise<boolean> {
  const missed: string[] = [];
  const rows: string[][] = [];
  for (const [name, { isCured, ...changes }] of Object.entries(CASES)) {
    const before = process.cpuUsage();
    const figures = simulateFleet(CODE, { ...CALM, ...changes });
    const seconds = processorSeconds(before);
    rows.push([name, ...cells(figures), seconds.toFixed(1)]);
    if (isCured) missed.push(...missedLimits(figures, seconds).map((miss) => `${name}: ${miss}`));
  }
  const head = [
    "10,000 sites, 7 days",
    "runs",
    "site-hours without a link",
    "dead stacks",
    "longest wait, min",
  ];
  printTable("fleet", [...head, "took, s of processor"], rows);
  console.log("");
  const limits =
    `with all cures ${LIMITS.siteHours} site-hours without a link, ` +
    `${LIMITS.runs.toLocaleString("en")} runs and ${LIMITS.seconds} s`;
  return Promise.resolve(verdict(missed, limits));
}

function processorSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function cells({ runs, siteHours, deadStacks, longestWaitMs }: FleetFigures): string[] {
  // a small gap must not look like none
  const hours =
    siteHours > 0 && siteHours < 1 ? siteHours.toPrecision(1) : Math.round(siteHours).toLocaleString("en");
  return [runs.toLocaleString("en"), hours, String(deadStacks), (longestWaitMs / MINUTE_MS).toFixed(0)];
}

function missedLimits({ runs, siteHours }: FleetFigures, seconds: number): string[] {
  return [
    ...(siteHours > LIMITS.siteHours ? [`${siteHours} site-hours without a link`] : []),
    ...(runs > LIMITS.runs ? [`${runs} runs`] : []),
    ...(seconds > LIMITS.seconds ? [`${seconds.toFixed(1)} s`] : []),
  ];
}
