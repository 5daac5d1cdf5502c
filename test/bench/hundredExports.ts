import type { ReferenceService } from "../../examples/reference-service/index.ts";
import { availableEngines, type EngineKind } from "../engine/index.ts";
import { type BenchSites, domainsOf, openBenchStack, withBenchSites } from "./benchSites.ts";
import { watchPeak } from "./peakMemory.ts";
import { printTable, verdict } from "./resultTable.ts";
import { exportByShell, hasCurl } from "./shellExport.ts";

const COUNT = 100;
const JOB_SECONDS = 20;
const PAUSE_SECONDS = 10;
const COMPONENTS = 10;
/** The memory is 250 MB, in the unit of the figures; the ratio is to the time of one export on the same engine. */
const LIMITS = { seconds: 40, peakMiB: 250e6 / 2 ** 20, timesOne: 2, noOpLines: 60 };

interface Figures {
  seconds: number;
  /** Exports that ended with a link. */
  links: number;
  /** Of the provider process. */
  peakMiB?: number | undefined;
  /** The time and output of an `up` without changes. */
  noOp?: { seconds: number; lines: number };
  starts: number;
  polls: number;
  requests: number;
}

/** A hundred exports in ten components of one stack, compared with one alone, and with a shell script for each. */
export function hundredExports(): Promise<boolean> {
  const domains = domainsOf(COUNT);
  return withBenchSites(domains, JOB_SECONDS * 1_000, async (sites) => {
    const { kinds, skipped } = availableEngines();
    if (skipped !== undefined) console.log(skipped);
    const rows: string[][] = [];
    const missed: string[] = [];
    for (const kind of kinds) {
      const exporting = (some: readonly string[]): Promise<Figures> =>
        measured(sites.service, () => exportInOneStack(kind, some, sites));
      const one = await exporting(domains.slice(0, 1));
      const hundred = await exporting(domains);
      rows.push([`one export alone, on the ${kind} engine`, ...cells(one)]);
      rows.push([`one stack, on the ${kind} engine`, ...cells(hundred)]);
      missed.push(...missedLimits(hundred, one).map((miss) => `${kind}: ${miss}`));
    }
    if (hasCurl()) {
      const scripts = await measured(sites.service, () => exportByShells(domains, sites));
      rows.push([`${COUNT} shell scripts with curl and sleep ${PAUSE_SECONDS}`, ...cells(scripts)]);
    } else console.log("the shell scripts are left out: no curl on PATH");
    const figures = ["seconds", "nothing to do, s", "lines then", "links", "starts", "polls", "requests"];
    printTable("hundred-exports", [`${COUNT} jobs of ${JOB_SECONDS} s`, ...figures, "peak RSS, MiB"], rows);
    console.log("");
    return verdict(
      missed,
      `${LIMITS.seconds} s, ${LIMITS.timesOne} × one export and ${LIMITS.peakMiB.toFixed(0)} MiB, ` +
        `${COUNT} starts and ${COUNT} links, ${LIMITS.noOpLines} lines where nothing happens`,
    );
  });
}

/** Adds what the service recorded. */
async function measured(
  service: ReferenceService,
  run: () => Promise<Omit<Figures, "starts" | "polls" | "requests">>,
): Promise<Figures> {
  await service.reset();
  const figures = await run();
  const isStart = ({ path }: { path: string }): boolean => path.endsWith("/jobs");
  return {
    ...figures,
    starts: service.requests.filter(isStart).length,
    polls: service.requests.filter(({ method }) => method === "GET").length,
    requests: service.requests.length,
  };
}

const secondsSince = (begunMs: number): number => (performance.now() - begunMs) / 1000;

async function exportInOneStack(kind: EngineKind, domains: readonly string[], sites: BenchSites) {
  const stack = await openBenchStack(
    kind,
    sites,
    `${kind}-${domains.length}`,
    `const domains = ${JSON.stringify(domains)};
     const parents = domains.slice(0, ${COMPONENTS}).map((_, i) => new pulumi.ComponentResource("bench:index:Team", "team" + i));
     domains.forEach((domain, i) => new StaticExport(domain, { domain }, { parent: parents[i % parents.length] }));`,
  );
  const memory = watchPeak(() => stack.providerPids());
  const begunMs = performance.now();
  const up = await stack.up({ parallel: COUNT });
  const seconds = secondsSince(begunMs);
  const peakMiB = memory.peakMiB();
  if (!up.ok) console.log(up.text);
  const againMs = performance.now();
  const again = await stack.up({ parallel: COUNT });
  const noOp = { seconds: secondsSince(againMs), lines: again.text.trim().split("\n").length };
  const links = (await stack.exportState()).filter(({ outputs }) => typeof outputs["bundleUrl"] === "string");
  return { seconds, links: links.length, peakMiB, noOp };
}

async function exportByShells(domains: readonly string[], { clientOf }: BenchSites) {
  const begunMs = performance.now();
  const all = await Promise.all(domains.map((domain) => exportByShell(clientOf(domain), PAUSE_SECONDS)));
  return {
    seconds: secondsSince(begunMs),
    links: all.filter(({ link }) => link.startsWith("http")).length,
  };
}

function missedLimits({ seconds, peakMiB = 0, starts, links, noOp }: Figures, one: Figures): string[] {
  const timesOne = seconds / one.seconds;
  return [
    ...(seconds > LIMITS.seconds ? [`${seconds.toFixed(1)} s`] : []),
    ...(timesOne > LIMITS.timesOne ? [`${timesOne.toFixed(2)} × one export`] : []),
    ...(peakMiB > LIMITS.peakMiB ? [`${peakMiB.toFixed(0)} MiB`] : []),
    ...(starts !== COUNT || links !== COUNT ? [`${starts} starts and ${links} links`] : []),
    ...(noOp && noOp.lines > LIMITS.noOpLines ? [`${noOp.lines} lines where nothing happens`] : []),
  ];
}

function cells({ seconds, peakMiB, links, starts, polls, requests, noOp }: Figures): string[] {
  return [
    seconds.toFixed(1),
    noOp?.seconds.toFixed(1) ?? "–",
    String(noOp?.lines ?? "–"),
    ...[links, starts, polls, requests].map(String),
    peakMiB?.toFixed(0) ?? "–",
  ];
}
