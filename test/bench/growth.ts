import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { unpackDebianPackages } from "../programs/debianPackages.ts";
import { withBucketServer, type BucketServer } from "./bucketServer.ts";
import type { CopyCost } from "./measuredCopy.ts";
import { processesBelow, watchPeak } from "./peakMemory.ts";
import { printTable, verdict } from "./resultTable.ts";

/** Files of the sites. `FILES=2000` is quicker. */
const SIZES = (process.env["FILES"] ?? "2000,10000,20000").split(",").map(Number);
/** Of several rounds, the least counts: other processes only add to it. */
const ROUNDS = 2;
const AWS_CLI_VERSION = "1.46.3";

const STEPS = ["first copy", "unchanged", "1 % changed", "removal"] as const;
type Step = (typeof STEPS)[number];

/** Times the processor time of rclone for the same step, for the largest site. */
const LIMITS: Partial<Record<Step, number>> = { "first copy": 1, "1 % changed": 1.5, removal: 1.2 };
/** A cost that grows this much faster than the site is named. */
const STEEP = 1.15;

interface Cost {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly requests: number;
  readonly gapMs?: number | undefined;
}

/** Carries out a step for a site: its folder, or the archive of it. */
type Runner = (step: Step, site: string) => Promise<Omit<Cost, "requests">>;

const say = (what: string): void => console.log(`growth: ${what}`);

/**
 * How do the costs of a site in a bucket grow with its files? Compared with rclone and the AWS CLI, with the same store and the same
 * number of objects.
 */
export async function growth(): Promise<boolean> {
  const rclone = await prepareRclone();
  const aws = await prepareAws();
  return withBucketServer(async (server) => {
    const runners = { ours: byUs(server), rclone: byRclone(server, rclone), "aws s3": byAws(server, aws) };
    const idle = await ourCost(server, ["idle"]);
    const costs = new Map<string, Cost>();
    for (const files of SIZES) {
      const sites = await writeSites(join(server.folder, String(files)), files);
      for (let round = 0; round < ROUNDS; round++) {
        for (const step of STEPS) {
          for (const [who, run] of Object.entries(runners)) {
            say(`${files} files, ${step}, ${who}`);
            const before = await server.requests();
            const cost = await run(step, step === "1 % changed" ? sites.changed : sites.first);
            const requests = (await server.requests()) - before;
            const name = `${files} ${step} ${who}`;
            costs.set(name, least({ ...cost, requests }, costs.get(name)));
          }
        }
        await server.empty();
      }
    }
    return judge(costs, idle);
  });
}

function least(now: Cost, before: Cost = now): Cost {
  const gaps = [now.gapMs, before.gapMs].filter((gap) => gap !== undefined);
  return {
    cpuSeconds: Math.min(now.cpuSeconds, before.cpuSeconds),
    peakMiB: Math.min(now.peakMiB, before.peakMiB),
    requests: now.requests,
    ...(gaps.length > 0 && { gapMs: Math.min(...gaps) }),
  };
}

/** A copy without second addresses: as many objects as files. */
function byUs(server: BucketServer): Runner {
  const operations = {
    "first copy": "create",
    unchanged: "refresh",
    "1 % changed": "update",
    removal: "destroy",
  };
  return (step, site) => {
    const { endpoint, folder } = server;
    const destination = { bucket: "docs", prefix: "ours", endpoint, layout: "site", cleanUrls: false };
    const inputs = { source: { file: `${site}.tar.gz`, version: "1" }, destination, keep: 0 };
    return ourCost(server, [operations[step], JSON.stringify(inputs), join(folder, "state")]);
  };
}

async function ourCost({ env }: BucketServer, args: readonly string[]): Promise<CopyCost> {
  const script = join(import.meta.dirname, "measuredCopy.ts");
  return JSON.parse(await runCommand(process.execPath, [script, ...args], { env })) as CopyCost;
}

function byRclone({ endpoint, env }: BucketServer, rclone: string): Runner {
  const remote = `:s3,provider=Other,env_auth=true,region=us-east-1,endpoint="${endpoint}":docs/rclone`;
  return (step, site) =>
    costOf([rclone, ...(step === "removal" ? ["purge", remote] : ["sync", "--checksum", site, remote])], env);
}

function byAws({ endpoint, env }: BucketServer, aws: string): Runner {
  const place = "s3://docs/aws";
  const options = ["--only-show-errors", "--endpoint-url", endpoint];
  return (step, site) =>
    costOf(
      [aws, "s3", ...(step === "removal" ? ["rm", "--recursive", place] : ["sync", site, place]), ...options],
      env,
    );
}

/** The cost of a command with all its processes, as the shell counts it. */
async function costOf(command: readonly string[], env: BucketServer["env"]): Promise<Omit<Cost, "requests">> {
  const script = "TIMEFORMAT='cpu %U %S'; time \"$@\"";
  const child = execFile("bash", ["-c", script, "bash", ...command], { env: { ...env } });
  const watch = watchPeak(() => processesBelow(child.pid ?? 0));
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  const code = await new Promise((resolve) => child.once("close", resolve));
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(text) ?? [];
  const peakMiB = watch.peakMiB() ?? NaN;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${String(code)}:\n${text}`);
  return { cpuSeconds: Number(user) + Number(system), peakMiB };
}

/** Writes a site of pages, and one in which 1 % of them changed: folders, and archives of them. */
async function writeSites(folder: string, files: number): Promise<{ first: string; changed: string }> {
  const words = Array.from({ length: 450 }, (_, at) => `word${(at * 7_919) % 1_000}`).join(" ");
  const page = (at: number, version: number): string =>
    `<!doctype html><html lang="en"><title>Page ${at}</title><h1>Page ${at}, ${version}</h1><p>${words}</p></html>`;
  const write = async (name: string, versionOf: (at: number) => number): Promise<string> => {
    const site = join(folder, name);
    for (let at = 0; at < files; at++) {
      const file = join(site, at === 0 ? "index.html" : `part-${Math.floor(at / 50)}/page-${at}.html`);
      if (at % 50 < 2) await mkdir(dirname(file), { recursive: true });
      await writeFile(file, page(at, versionOf(at)));
    }
    await runCommand("tar", ["-czf", `${site}.tar.gz`, "-C", site, "."]);
    return site;
  };
  return {
    first: await write("first", () => 1),
    changed: await write("changed", (at) => (at % 100 === 7 ? 22 : 1)),
  };
}

async function prepareRclone(): Promise<string> {
  const found = findCommand("rclone");
  if (found !== undefined) return found;
  const root = join(await cacheFolder("debian"), "rclone");
  const program = join(root, "usr/bin/rclone");
  if (findCommand("rclone", dirname(program)) === undefined) {
    say("unpacking rclone");
    await unpackDebianPackages(["rclone"], root);
  }
  return program;
}

async function prepareAws(): Promise<string> {
  const found = findCommand("aws");
  if (found !== undefined) return found;
  const folder = await cacheFolder(`awscli-${AWS_CLI_VERSION}`);
  const program = join(folder, "bin/aws");
  if (findCommand("aws", dirname(program)) === undefined) {
    say("installing awscli");
    await runCommand("python3", ["-m", "venv", folder]);
    await runCommand(join(folder, "bin/pip"), ["install", "-q", `awscli==${AWS_CLI_VERSION}`]);
  }
  return program;
}

function judge(costs: ReadonlyMap<string, Cost>, idle: CopyCost): boolean {
  printTable(
    "growth",
    ["files", "step", "by", "of the processor", "memory", "requests", "longest gap"],
    [...costs].map(([name, { cpuSeconds, peakMiB, requests, gapMs }]) => {
      const [, files = "", step = "", who = ""] = /^(\d+) (.*) (ours|rclone|aws s3)$/.exec(name) ?? [];
      const gap = gapMs === undefined ? "–" : `${gapMs.toFixed(0)} ms`;
      return [
        files,
        step,
        who,
        `${cpuSeconds.toFixed(2)} s`,
        `${peakMiB.toFixed(0)} MiB`,
        String(requests),
        gap,
      ];
    }),
  );
  const [smallest, largest] = [Math.min(...SIZES), Math.max(...SIZES)];
  const missed: string[] = [];
  for (const step of STEPS) {
    const at = (files: number, who = "ours"): Cost | undefined => costs.get(`${files} ${step} ${who}`);
    const [small, large] = [at(smallest), at(largest)];
    if (!small || !large) continue;
    const times = large.cpuSeconds / (at(largest, "rclone")?.cpuSeconds ?? NaN);
    const limit = LIMITS[step] ?? Infinity;
    console.log(`${step}: ${times.toFixed(2)} times the processor time of rclone`);
    if (!(times <= limit))
      missed.push(`${step}: ${times.toFixed(2)} times the processor time of rclone, not ${limit}`);
    const steep = (["cpuSeconds", "peakMiB", "requests"] as const).filter((each) => {
      const base = each === "requests" ? 0 : idle[each];
      return large[each] - base > (STEEP * largest * (small[each] - base)) / smallest;
    });
    if (steep.length > 0) console.log(`${step}: grows faster than the site: ${steep.join(", ")}`);
  }
  const limits = Object.entries(LIMITS).map(([step, limit]) => `${step} ${limit}`);
  return verdict(missed, `times the processor time of rclone: ${limits.join(", ")}`);
}
