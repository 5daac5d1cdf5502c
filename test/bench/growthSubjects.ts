import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { startRegistry } from "../copies/registry.ts";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { unpackDebianPackages } from "../programs/debianPackages.ts";
import { prepareCrane, prepareRegistry } from "../programs/goPrograms.ts";
import { pluginFlags } from "../programs/pluginFlags.ts";
import { type BucketServer, withBucketServer } from "./bucketServer.ts";
import type { CopyCost } from "./measuredCopy.ts";
import { processesBelow, watchPeak } from "./peakMemory.ts";
import type { IndexCost } from "./search/indexedSite.ts";

const AWS_CLI_VERSION = "1.46.3";

export type Step = "first copy" | "unchanged" | "1 % changed" | "removal" | "index";
export const COPY_STEPS = ["first copy", "unchanged", "1 % changed", "removal"] as const;

/** The cost of a step. Programs of others do not tell the longest gap. */
export type RunCost = Omit<CopyCost, "gapMs"> & Partial<Pick<CopyCost, "gapMs">>;

/** Carries out a step for a site: its folder, or the archive of it. `undefined` if it has no such step. */
type Runner = (step: Step, site: string) => Promise<RunCost | undefined>;

/** What grows with a site. */
export interface Subject {
  readonly steps: readonly Step[];
  /** Who carries out the steps. Ours is `ours`. */
  readonly runners: Readonly<Record<string, Runner>>;
  /** What processes cost that only start: the operation's own cost is the rest. @default nothing of others, and what ours loads */
  readonly starts?: Readonly<Record<string, RunCost>>;
  /** The number of requests so far. */
  readonly requests?: () => Promise<number>;
  /** Removes what a round left. */
  readonly empty?: () => Promise<unknown>;
}

/** Files in memory: a disk's file system takes from 0.4 to 4 s of the processor for the same 10,000 files, by what it removed before. */
const MEMORY = "/dev/shm";

type Env = Readonly<Record<string, string | undefined>>;
type Say = (what: string) => void;

/** Runs work on a subject. @param folder an empty one */
export const SUBJECTS: Readonly<
  Record<string, (folder: string, say: Say, work: (subject: Subject) => Promise<void>) => Promise<void>>
> = {
  async bucket(folder, say, work) {
    const [rclone, aws] = [await prepareRclone(say), await prepareAws(say)];
    const starts = {
      ours: await ourCost(["idle", "@aws-sdk/client-s3"]),
      rclone: await costOf([rclone, "version"], ownEnv(folder)),
      "aws s3": await costOf([aws, "--version"], ownEnv(folder)),
    };
    await withBucketServer((server) => {
      const { endpoint, env, requests, empty } = server;
      // without second addresses: as many objects as files
      const destination = { bucket: "docs", prefix: "ours", endpoint, layout: "site", cleanUrls: false };
      const ours = byUs(destination, join(folder, "state"), env);
      const runners = { ours, rclone: byRclone(server, rclone), "aws s3": byAws(server, aws) };
      return work({ steps: COPY_STEPS, runners, starts, requests, empty });
    });
  },

  async folder(onDisk, say, work) {
    const inMemory = existsSync(MEMORY) ? await mkdtemp(join(MEMORY, "bench-growth-")) : undefined;
    if (inMemory === undefined) say(`there is no ${MEMORY}: the file system of the disk is measured, too`);
    const folder = inMemory ?? onDisk;
    const env = ownEnv(folder);
    const target = join(folder, "theirs");
    const shell = (script: string, site = ""): Promise<RunCost> =>
      costOf(["bash", "-c", script, "bash", site, target], env);
    const hash = 'find "$2" -type f -print0 | xargs -0 sha256sum > /dev/null';
    const byTools = (step: Step, site: string): Promise<RunCost> =>
      step === "unchanged"
        ? shell(hash)
        : shell(step === "removal" ? 'rm -rf "$2"' : 'rm -rf "$2" && cp -r "$1" "$2"', site);
    const rsync = (step: Step, site: string): Promise<RunCost> =>
      step === "removal" ? shell('rm -rf "$2"') : shell('rsync -a --checksum --delete "$1/" "$2/"', site);
    const hasRsync = findCommand("rsync") !== undefined;
    if (!hasRsync) say("rsync is not on PATH: cp, sha256sum and rm do the same");
    try {
      await work({
        steps: COPY_STEPS,
        runners: {
          ours: byUs({ folder: join(folder, "ours"), layout: "site" }, join(folder, "state"), env),
          ...(hasRsync ? { "rsync, rm": rsync } : { "cp, sha256sum, rm": byTools }),
        },
      });
    } finally {
      if (inMemory !== undefined) await rm(inMemory, { recursive: true, force: true });
    }
  },

  async image(folder, say, work) {
    process.env["REGISTRY"] = await prepareRegistry(say);
    const crane = await prepareCrane(say);
    const cleanUps: (() => unknown)[] = [];
    const { host } = await startRegistry({
      onTestFinished: (run) => void cleanUps.push(run as () => unknown),
    });
    const env = ownEnv(folder);
    // a repository for each round: a registry keeps the layers of removed images
    let round = 0;
    const append = (step: Step, site: string): Promise<RunCost | undefined> => {
      const target = ["-f", `${site}.tar.gz`, "-t", `${host}/theirs-${round}:1`];
      return step === "unchanged" || step === "removal"
        ? Promise.resolve(undefined)
        : costOf([crane, "append", "--oci-empty-base", ...target], env);
    };
    const ours: Runner = (step, site) =>
      byUs({ repository: `${host}/ours-${round}`, tag: "latest" }, join(folder, "state"), env)(step, site);
    try {
      const runners = { ours, "crane append": append };
      await work({ steps: COPY_STEPS, runners, empty: () => Promise.resolve(round++) });
    } finally {
      for (const run of cleanUps.toReversed()) await run();
    }
  },

  async search(folder, _say, work) {
    const script = join(import.meta.dirname, "search/indexedSite.ts");
    const target = join(folder, "search");
    const ours = async (_step: Step, site: string): Promise<RunCost> =>
      JSON.parse(await runCommand(process.execPath, [script, site, target])) as IndexCost;
    const empty = (): Promise<void> => rm(target, { recursive: true, force: true });
    await work({ steps: ["index"], runners: { ours }, empty });
  },
};

const ownEnv = (HOME: string): Env => ({ PATH: process.env["PATH"], HOME, NODE_NO_WARNINGS: "1" });

function byUs(destination: object, state: string, env: Env): Runner {
  const operations: Partial<Record<Step, string>> = {
    "first copy": "create",
    unchanged: "refresh",
    "1 % changed": "update",
    removal: "destroy",
  };
  return (step, site) => {
    const inputs = { source: { file: `${site}.tar.gz`, version: "1" }, destination, keep: 0 };
    return ourCost([operations[step] ?? step, JSON.stringify(inputs), state], env);
  };
}

let script: Promise<string> | undefined;

/** The cost of an operation in a process like the plugin's; of `idle`, that of a process that only loads the code. */
export async function ourCost(args: readonly string[], env: Env = process.env): Promise<CopyCost> {
  script ??= compiled("measuredCopy.ts");
  const command = [...pluginFlags(), await script, ...args];
  return JSON.parse(await runCommand(process.execPath, command, { env })) as CopyCost;
}

/** A script of the bench in JavaScript: what Node.js needs to read TypeScript is no cost of ours. */
async function compiled(file: string): Promise<string> {
  // as deep in the project as the script, which names the built code by relative paths
  const outfile = join(import.meta.dirname, "../../.work/bench", file.replace(/ts$/, "mjs"));
  await build({
    entryPoints: [join(import.meta.dirname, file)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    external: ["../../dist/*"],
  });
  return outfile;
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
async function costOf(command: readonly string[], env: Env): Promise<RunCost> {
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

async function prepareRclone(say: Say): Promise<string> {
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

async function prepareAws(say: Say): Promise<string> {
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
