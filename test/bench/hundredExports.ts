import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { startReferenceService, type ReferenceService } from "../../examples/reference-service/index.ts";
import { availableEngines, openStack, type EngineKind } from "../engine/index.ts";
import { watchGroup, watchPeak } from "./peakMemory.ts";
import { hasCurl, SHELL_SCRIPT } from "./shellExport.ts";

const COUNT = 100;
const JOB_DURATION_MS = 20_000;
/** The memory is 250 MB, in the unit of the figures; the ratio is to the time of one export, on the same engine. */
const LIMITS = { seconds: 40, peakMiB: 250e6 / 2 ** 20, timesOne: 2, noOpLines: 60 };

const ROOT = join(import.meta.dirname, "../..");
const KEY = "svc_bench";
const COMPONENTS = 10;
const DOMAINS = Array.from({ length: COUNT }, (_, index) => `docs-${index}.example.com`);

interface Figures {
  seconds: number;
  /** Exports that ended with a link. */
  links: number;
  /** Of the provider process, or summed over the processes of the scripts. */
  peakMiB: number | undefined;
  /** The same sum with memory that processes share counted once. */
  peakSharedOnceMiB?: number | undefined;
  /** What an `up` that has nothing to do took then, and printed. */
  noOp?: { seconds: number; lines: number };
  starts: number;
  polls: number;
  requests: number;
}

/** A hundred exports in ten components of one stack, beside one alone, and the same hundred done by a shell script each. */
export async function hundredExports(): Promise<boolean> {
  mkdirSync(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/bench-"));
  const site = join(folder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.md"), "# Welcome\n\nThe only page.\n");
  const service = await startReferenceService({
    sites: Object.fromEntries(DOMAINS.map((domain) => [domain, site])),
    adminApiKey: KEY,
    jobDurationMs: JOB_DURATION_MS,
  });
  try {
    const { kinds, skipped } = availableEngines();
    if (skipped !== undefined) console.log(skipped);
    const rows: Record<string, ReturnType<typeof row>> = {};
    const ratios: string[] = [];
    let withinLimits = true;
    for (const kind of kinds) {
      const stackOf = (domains: readonly string[]) =>
        exportInOneStack(kind, join(folder, `${kind}-${domains.length}`), domains, service);
      const one = await measured(service, () => stackOf(DOMAINS.slice(0, 1)));
      const hundred = await measured(service, () => stackOf(DOMAINS));
      rows[`one export alone, on the ${kind} engine`] = row(one);
      rows[`one stack, on the ${kind} engine`] = row(hundred);
      ratios.push(`${kind}: ${(hundred.seconds / one.seconds).toFixed(2)} × one export`);
      withinLimits &&= isWithinLimits(hundred, one);
    }
    const script = hasCurl()
      ? await measured(service, () => exportByShell(service))
      : console.log("the shell scripts are left out: no curl on PATH");
    if (script) rows[`${COUNT} shell scripts with curl and sleep 10`] = row(script);
    console.table(rows);
    console.log(
      `${COUNT} jobs of ${JOB_DURATION_MS / 1000} s, on ${cpus().length} cores with a load of ${loadavg()[0]?.toFixed(1) ?? "?"}`,
    );
    console.log(ratios.join("\n"));
    console.log(
      `${withinLimits ? "Within" : "OVER"} the limits of ${LIMITS.seconds} s, ${LIMITS.timesOne} × one export and ${LIMITS.peakMiB.toFixed(0)} MiB, ` +
        `${COUNT} starts and ${COUNT} links, ${LIMITS.noOpLines} lines where nothing happens`,
    );
    return withinLimits;
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds what the service saw. */
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

async function exportInOneStack(
  kind: EngineKind,
  folder: string,
  domains: readonly string[],
  service: ReferenceService,
) {
  const program = join(folder, "program");
  mkdirSync(join(program, "node_modules/@pulumi"), { recursive: true });
  symlinkSync(ROOT, join(program, "node_modules/pulumi-docs-hosting"), "dir");
  symlinkSync(join(ROOT, "node_modules/@pulumi/pulumi"), join(program, "node_modules/@pulumi/pulumi"), "dir");
  writeFileSync(join(program, "package.json"), '{ "name": "bench", "main": "index.js" }');
  writeFileSync(
    join(program, "index.js"),
    `const pulumi = require("@pulumi/pulumi");
     const { StaticExport } = require("pulumi-docs-hosting");
     const domains = ${JSON.stringify(domains)};
     const parents = domains.slice(0, ${COMPONENTS}).map((_, i) => new pulumi.ComponentResource("bench:index:Team", "team" + i));
     domains.forEach((domain, i) => new StaticExport(domain, { domain }, { parent: parents[i % parents.length] }));`,
  );
  const stack = await openStack(kind, {
    program,
    project: "bench",
    stack: "hundred",
    stateFolder: join(folder, "state"),
    passphrase: "bench",
    env: {
      DOCS_HOSTING_BASE_URL: service.url,
      DOCS_HOSTING_ADMIN_API_KEY: KEY,
    },
  });
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

async function exportByShell(service: ReferenceService) {
  const begunMs = performance.now();
  const all = spawn("sh", ["-c", 'for domain; do sh "$SCRIPT" "$domain" & done; wait', "sh", ...DOMAINS], {
    detached: true, // a group of its own, by which its processes are found
    env: { ...process.env, SCRIPT: SHELL_SCRIPT, API: `${service.url}/v1/static-export/jobs`, KEY },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const memory = watchGroup(all.pid ?? 0, "Rss");
  const sharedOnce = watchGroup(all.pid ?? 0, "Pss");
  let text = "";
  for await (const chunk of all.stdout) text += String(chunk);
  const seconds = secondsSince(begunMs);
  const links = text.split("\n").filter((line) => line.startsWith("http"));
  return { seconds, links: links.length, peakMiB: memory.peakMiB(), peakSharedOnceMiB: sharedOnce.peakMiB() };
}

function isWithinLimits({ seconds, peakMiB, starts, links, noOp }: Figures, one: Figures): boolean {
  return (
    seconds <= Math.min(LIMITS.seconds, LIMITS.timesOne * one.seconds) &&
    (peakMiB ?? 0) <= LIMITS.peakMiB &&
    starts === COUNT &&
    links === COUNT &&
    (noOp?.lines ?? 0) <= LIMITS.noOpLines
  );
}

function row({ seconds, peakMiB, peakSharedOnceMiB, links, starts, polls, requests, noOp }: Figures) {
  return {
    seconds: seconds.toFixed(1),
    "nothing to do, s": noOp?.seconds.toFixed(1) ?? "–",
    "lines then": noOp?.lines ?? "–",
    links,
    starts,
    polls,
    requests,
    "peak RSS, MiB": peakMiB?.toFixed(0) ?? "–",
    "shared pages once, MiB": peakSharedOnceMiB?.toFixed(0) ?? "–",
  };
}
