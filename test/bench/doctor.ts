import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { findCommand } from "../programs/commands.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const COMMAND = join(ROOT, "dist/provider/command.js");
const RUNS = 10;
const LIMIT_MS = 3_000;
const KEY = "svc_bench";

/** How long `pulumi-docs-hosting doctor` takes on a healthy machine: in an empty folder, and in a project of the Pulumi CLI. */
export async function doctor(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "doctor-bench-"));
  const source = join(folder, "source");
  mkdirSync(source);
  writeFileSync(join(source, "index.md"), "# Start\n");
  const service = await startReferenceService({ sites: { "docs.example.com": source }, adminApiKey: KEY });
  try {
    const env = { ...process.env, PULUMI_HOME: join(folder, "home") };
    const settings = { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY };
    const ours = [COMMAND, "doctor", "--domain", "docs.example.com"];
    const rows = [
      ["doctor, in an empty folder", await timesOf(process.execPath, ours, source, { ...env, ...settings })],
    ] as [string, number[]][];
    const pulumi = findCommand("pulumi");
    if (pulumi === undefined) console.log("in a project: there is no pulumi on PATH");
    else {
      const project = join(folder, "project");
      const cli = await configuredProject(pulumi, project, { ...env, ...backend(folder) }, service.url);
      const config = ["config", "--show-secrets", "--json"];
      rows.push(
        ["doctor, in a project of the CLI", await timesOf(process.execPath, ours, project, cli)],
        ["`pulumi config` there, which it runs", await timesOf(pulumi, config, project, cli)],
      );
    }
    printTable(
      "doctor",
      ["command", "time, median", "time, longest"],
      rows.map(([name, times]) => [name, seconds(percentile(times, 0.5)), seconds(Math.max(...times))]),
    );
    const missed = rows.filter(([, times]) => percentile(times, 0.5) > LIMIT_MS).map(([name]) => name);
    return verdict(missed, `${LIMIT_MS / 1_000} s`);
  } finally {
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

const backend = (folder: string): Record<string, string> => {
  const state = join(folder, "state");
  mkdirSync(state);
  return {
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
};

/** Makes a project with a configured stack. @returns the environment of its commands */
async function configuredProject(
  pulumi: string,
  project: string,
  env: NodeJS.ProcessEnv,
  baseUrl: string,
): Promise<NodeJS.ProcessEnv> {
  mkdirSync(join(project, "node_modules/@pulumi"), { recursive: true });
  symlinkSync(ROOT, join(project, "node_modules/pulumi-docs-hosting"));
  symlinkSync(join(ROOT, "node_modules/@pulumi/pulumi"), join(project, "node_modules/@pulumi/pulumi"));
  writeFileSync(join(project, "Pulumi.yaml"), "name: docs\nruntime: nodejs\n");
  for (const args of [
    ["stack", "init", "bench"],
    ["config", "set", "docs-hosting:baseUrl", baseUrl],
    ["config", "set", "--secret", "docs-hosting:adminApiKey", KEY],
  ]) {
    await run(pulumi, args, { cwd: project, env });
  }
  return env;
}

/** The time of each run, in milliseconds. @throws if one fails */
async function timesOf(
  command: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = -1; round < RUNS; round++) {
    const startedAt = performance.now();
    await run(command, args, { cwd, env });
    if (round >= 0) times.push(performance.now() - startedAt); // the first one fills the disk's cache
  }
  return times;
}
