import { domainsOf, withBenchSites, type BenchService, type BenchSites } from "./benchSites.ts";
import { exportOnScaledTime, scaledClock } from "./exportOnScaledTime.ts";
import { printTable, verdict } from "./resultTable.ts";
import { exportByShell, hasCurl } from "./shellExport.ts";
import { mean } from "./statistics.ts";

const JOBS = 20;
/** Lengths of the jobs in seconds, in equal ratios. */
const SHORTEST = 60;
const LONGEST = 600;
const LENGTHS = Array.from(
  { length: JOBS },
  (_, job) => SHORTEST * (LONGEST / SHORTEST) ** (job / (JOBS - 1)),
);
/** The factor by which everything passes faster: jobs, pauses and limits alike. */
const SPEED = 20;
const PAUSE_SECONDS = 10;
const LIMITS = { lag: 0.25, worstSeconds: 10 };

type Way = (service: BenchService) => Promise<unknown>;

interface Outcome {
  polls: number;
  /** From the end of the job until the poll that sees it arrives, at the job's own time scale. */
  lagSeconds: number;
}

/** Real jobs of reference services, side by side: exported by the provider's own code, then by the shell script. */
export async function realJobs(): Promise<boolean> {
  const ways: Record<string, Way> = {
    ours: (service) => exportOnScaledTime(service, scaledClock(SPEED), () => 1),
    ...(hasCurl() && {
      "shell script, curl and sleep 10": (service) => exportByShell(service, PAUSE_SECONDS / SPEED),
    }),
  };
  const outcomes: Record<string, Outcome[]> = {};
  for (const [name, way] of Object.entries(ways)) {
    outcomes[name] = await Promise.all(
      LENGTHS.map((seconds) =>
        withBenchSites(domainsOf(1), (seconds * 1_000) / SPEED, (sites) => outcome(sites, seconds, way)),
      ),
    );
  }
  printTable(
    "real-jobs",
    [`${JOBS} jobs of ${SHORTEST} to ${LONGEST} s`, "polls a job", "mean lag", "worst"],
    Object.entries(outcomes).map(([name, all]) => [name, ...figures(all)]),
  );
  console.log(
    `Against the reference service, ${SPEED} times as fast as real; figures at the scale of the jobs. The start of curl counts ${SPEED} times as well.\n`,
  );
  const [ours = [], shell] = Object.values(outcomes).map((all) => all.map(({ lagSeconds }) => lagSeconds));
  if (!shell) console.log("the shell script is left out: no curl on PATH");
  const missed = [
    ...(shell && mean(ours) > LIMITS.lag * mean(shell)
      ? ["mean lag more than a quarter of the script's"]
      : []),
    ...(Math.max(...ours) > LIMITS.worstSeconds ? ["worst lag over ten seconds"] : []),
  ];
  return verdict(missed, "mean lag a quarter of the script's, 10 s at worst");
}

async function outcome({ service, clientOf }: BenchSites, seconds: number, way: Way): Promise<Outcome> {
  let endMs = NaN;
  let polls = 0;
  let lastLookMs = NaN;
  service.intercept(({ method, path }) => {
    const nowMs = performance.now();
    if (path.endsWith("/jobs")) endMs = nowMs + (seconds * 1_000) / SPEED;
    if (method === "GET") {
      polls++;
      lastLookMs = nowMs;
    }
    return undefined;
  });
  await way(clientOf());
  return { polls, lagSeconds: ((lastLookMs - endMs) * SPEED) / 1_000 };
}

function figures(outcomes: readonly Outcome[]): string[] {
  const lags = outcomes.map(({ lagSeconds }) => lagSeconds);
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  return [
    mean(outcomes.map(({ polls }) => polls)).toFixed(0),
    seconds(mean(lags)),
    seconds(Math.max(...lags)),
  ];
}
