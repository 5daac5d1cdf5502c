// Runs the command `doctor` on a machine of which each part can be replaced, against the reference service.
import { lookup } from "node:dns";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fetch from "node-fetch";
import { expect, onTestFinished } from "vitest";
import { type ReferenceService, startReferenceService } from "../../../examples/reference-service/index.ts";
import { systemClock } from "../../../provider/base/runtime/time/clock.ts";
import { runCommand } from "../../../provider/doctor/command.ts";
import type { Finding } from "../../../provider/doctor/finding.ts";
import type { DoctorHost, Ended } from "../../../provider/doctor/host.ts";
import { startsOf } from "../../stack/requests.ts";

export const DOMAIN = "docs.example.com";
export const KEY = "svc_c4n4ry";

/** The CLI of a machine that has none. */
export const NO_CLI: Ended = { code: undefined, stdout: "", stderr: "" };

export interface Machine {
  readonly service: ReferenceService;
  /** An empty folder. */
  readonly folder: string;
  /** Environment variables: at first those of a healthy machine. */
  readonly environment: Record<string, string>;
  /** The parts that differ from a healthy machine. */
  readonly host: { -readonly [Name in keyof DoctorHost]?: DoctorHost[Name] };
  /** The jobs that the service was asked to start. */
  starts(): number;
}

/** A healthy machine, until the test ends. */
export async function healthyMachine(
  options: Partial<Parameters<typeof startReferenceService>[0]> = {},
): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"));
  const source = join(folder, "source");
  write(join(source, "index.md"), "# Start\n");
  const service = await startReferenceService({
    sites: { [DOMAIN]: source, "small.example.com": { source, plan: "starter" } },
    adminApiKey: KEY,
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  return {
    service,
    folder: join(folder, "empty"),
    environment: {
      DOCS_HOSTING_BASE_URL: service.url,
      DOCS_HOSTING_ADMIN_API_KEY: KEY,
      PULUMI_HOME: join(folder, "home"),
    },
    host: {},
    starts: () => startsOf(service.requests).length,
  };
}

export function write(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

export interface Examined {
  readonly findings: readonly Finding[];
  readonly exitCode: number;
  /** The text that users read. */
  readonly text: string;
}

/** What the command sees of a machine. */
export function hostOf(machine: Machine): DoctorHost {
  mkdirSync(machine.folder, { recursive: true });
  return {
    fetch,
    lookup,
    clock: systemClock,
    environment: (name) => machine.environment[name],
    folder: machine.folder,
    temporaryFolder: tmpdir(),
    homeFolder: homedir,
    nodeVersion: process.versions.node,
    run: (_command, [name]) =>
      Promise.resolve(name === "version" ? { code: 0, stdout: "v3.270.0\n", stderr: "" } : NO_CLI),
    ...machine.host,
  };
}

/** Runs `doctor`. Neither form of its output contains the key. */
export async function examined(machine: Machine, ...args: string[]): Promise<Examined> {
  const host = hostOf(machine);
  const json = await runCommand(["doctor", "--json", ...args], host);
  const { checks, ok } = JSON.parse(json.stdout) as { checks: Finding[]; ok: boolean };
  expect(json.exitCode).toBe(ok ? 0 : 1);
  const text = args.includes("--start") ? "" : (await runCommand(["doctor", ...args], host)).stdout;
  expect(json.stdout + text).not.toMatch(/c4n4ry/i);
  return { findings: checks, exitCode: json.exitCode, text };
}

/** The findings that are not ok. */
export function problemsOf({ findings }: Examined): Finding[] {
  return findings.filter(({ status }) => status !== "ok");
}
