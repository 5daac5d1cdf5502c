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
/** 250 MB, in the unit of the figures. */
const LIMITS = { seconds: 40, peakMiB: 250e6 / 2 ** 20 };

const ROOT = join(import.meta.dirname, "../..");
const KEY = "svc_bench";
const DOMAINS = Array.from({ length: COUNT }, (_, index) => `docs-${index}.example.com`);

interface Figures {
  seconds: number;
  /** Exports that ended with a link. */
  links: number;
  /** Of the provider process, or summed over the processes of the scripts. */
  peakMiB: number | undefined;
  /** The same sum with memory that processes share counted once. */
  peakSharedOnceMiB?: number | undefined;
  starts: number;
  polls: number;
  requests: number;
}

/** A hundred exports in one stack, beside the same hundred done by a shell script each. */
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
    let withinLimits = true;
    for (const kind of kinds) {
      const figures = await measured(service, () => exportInOneStack(kind, join(folder, kind), service));
      rows[`one stack, on the ${kind} engine`] = row(figures);
      withinLimits &&= isWithinLimits(figures);
    }
    const script = hasCurl()
      ? await measured(service, () => exportByShell(service))
      : console.log("the shell scripts are left out: no curl on PATH");
    if (script) rows[`${COUNT} shell scripts with curl and sleep 10`] = row(script);
    console.table(rows);
    console.log(
      `${COUNT} jobs of ${JOB_DURATION_MS / 1000} s, on ${cpus().length} cores with a load of ${loadavg()[0]?.toFixed(1) ?? "?"}`,
    );
    console.log(
      `${withinLimits ? "Within" : "OVER"} the limits of ${LIMITS.seconds} s and ${LIMITS.peakMiB.toFixed(0)} MiB, ${COUNT} starts and ${COUNT} links`,
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
  run: () => Promise<Pick<Figures, "links" | "peakMiB" | "peakSharedOnceMiB">>,
): Promise<Figures> {
  await service.reset();
  const begunMs = performance.now();
  const figures = await run();
  const seconds = (performance.now() - begunMs) / 1000;
  const isStart = ({ path }: { path: string }): boolean => path.endsWith("/jobs");
  return {
    ...figures,
    seconds,
    starts: service.requests.filter(isStart).length,
    polls: service.requests.filter(({ method }) => method === "GET").length,
    requests: service.requests.length,
  };
}

async function exportInOneStack(kind: EngineKind, folder: string, service: ReferenceService) {
  const program = join(folder, "program");
  mkdirSync(join(program, "node_modules/@pulumi"), { recursive: true });
  symlinkSync(ROOT, join(program, "node_modules/pulumi-docs-hosting"), "dir");
  symlinkSync(join(ROOT, "node_modules/@pulumi/pulumi"), join(program, "node_modules/@pulumi/pulumi"), "dir");
  writeFileSync(join(program, "package.json"), '{ "name": "bench", "main": "index.js" }');
  writeFileSync(
    join(program, "index.js"),
    `const { StaticExport } = require("pulumi-docs-hosting");
     for (const domain of ${JSON.stringify(DOMAINS)}) new StaticExport(domain, { domain });`,
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
  const up = await stack.up({ parallel: COUNT });
  const peakMiB = memory.peakMiB();
  if (!up.ok) console.log(up.text);
  const links = (await stack.exportState()).filter(({ outputs }) => typeof outputs["bundleUrl"] === "string");
  return { links: links.length, peakMiB };
}

async function exportByShell(service: ReferenceService) {
  const all = spawn("sh", ["-c", 'for domain; do sh "$SCRIPT" "$domain" & done; wait', "sh", ...DOMAINS], {
    detached: true, // a group of its own, by which its processes are found
    env: { ...process.env, SCRIPT: SHELL_SCRIPT, API: `${service.url}/v1/static-export/jobs`, KEY },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const memory = watchGroup(all.pid ?? 0, "Rss");
  const sharedOnce = watchGroup(all.pid ?? 0, "Pss");
  let text = "";
  for await (const chunk of all.stdout) text += String(chunk);
  const links = text.split("\n").filter((line) => line.startsWith("http"));
  return { links: links.length, peakMiB: memory.peakMiB(), peakSharedOnceMiB: sharedOnce.peakMiB() };
}

function isWithinLimits({ seconds, peakMiB, starts, links }: Figures): boolean {
  return seconds <= LIMITS.seconds && (peakMiB ?? 0) <= LIMITS.peakMiB && starts === COUNT && links === COUNT;
}

function row({ seconds, peakMiB, peakSharedOnceMiB, links, starts, polls, requests }: Figures) {
  return {
    seconds: seconds.toFixed(1),
    links,
    starts,
    polls,
    requests,
    "peak RSS, MiB": peakMiB?.toFixed(0) ?? "–",
    "shared pages once, MiB": peakSharedOnceMiB?.toFixed(0) ?? "–",
  };
}
