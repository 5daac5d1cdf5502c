// The command of the packed package, as `npx` runs it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { findCommand } from "../programs/commands.ts";
import { startsOf } from "../stack/requests.ts";
import { install, layouts } from "./layouts.ts";
import { packedPackage, programDependencies } from "./packedPackage.ts";

const run = promisify(execFile);
const packed = packedPackage();

interface Report {
  ok: boolean;
  version: string;
  checks: { check: string; status: string; message: string }[];
}

/** An empty folder, apart from the installed package. */
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = mkdtempSync(join(packed.folder, "doctor-"));
  const [npm] = layouts;
  if (npm === undefined) throw new Error("npm is the first layout");
  const dependencies = programDependencies(packed.tarball);
  await install(npm, folder, { source: "", dependencies }, packed.shared);
  const path = [dirname(process.execPath), process.env["PATH"]].join(":");
  env = { ...process.env, PATH: path, PULUMI_HOME: join(packed.folder, "doctor-home") };
});

async function doctor(more: NodeJS.ProcessEnv, ...args: string[]): Promise<Report & { code: number }> {
  const command = ["--no-install", "pulumi-docs-hosting", "doctor", "--json", ...args];
  const { stdout, code } = await run("npx", command, { cwd: folder, env: { ...env, ...more } }).then(
    (ended) => ({ ...ended, code: 0 }),
    (error: unknown) => error as { stdout: string; code: number },
  );
  return { ...(JSON.parse(stdout) as Report), code };
}
const failures = ({ checks }: Report): string[] =>
  checks.filter(({ status }) => status === "failure").map(({ check }) => check);

test("npx runs doctor from the installed package: with settings all is well, without them it names what is missing", async () => {
  const healthy = await doctor(packed.env, "--domain", "docs.example.com");
  expect(failures(healthy)).toEqual([]);
  expect(healthy.code).toBe(0);
  expect(healthy.checks.map(({ check }) => check)).toContain("key-accepted");
  expect(startsOf(packed.service.requests)).toEqual([]);

  const missing = await doctor({ DOCS_HOSTING_BASE_URL: "", DOCS_HOSTING_ADMIN_API_KEY: "" });
  expect(failures(missing)).toEqual(["base-url", "api-key"]);
  expect(missing.code).toBe(1);
});

test("a Node.js that is too old gets a message with the required version", async () => {
  const program = join(folder, "node_modules/pulumi-docs-hosting/dist/provider/command.js");
  const started = run(process.execPath, ["--no-experimental-require-module", program, "doctor"], { env });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^pulumi-docs-hosting needs Node\.js 22\.12 or later; .*Install it/,
    ) as unknown,
  });
});

test("in a project of the Pulumi CLI, settings come from the configuration of its stack", async (context) => {
  const pulumi = findCommand("pulumi");
  if (pulumi === undefined) return context.skip("there is no pulumi on PATH");
  const state = join(packed.folder, "doctor-state");
  mkdirSync(state);
  writeFileSync(join(folder, "Pulumi.yaml"), "name: docs\nruntime: nodejs\n");
  const cli = {
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "scratch",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DOCS_HOSTING_BASE_URL: "",
    DOCS_HOSTING_ADMIN_API_KEY: "",
  };
  const { DOCS_HOSTING_BASE_URL: baseUrl = "", DOCS_HOSTING_ADMIN_API_KEY: key = "" } = packed.env;
  for (const args of [
    ["stack", "init", "dev"],
    ["config", "set", "docs-hosting:baseUrl", baseUrl],
    ["config", "set", "--secret", "docs-hosting:adminApiKey", key],
  ]) {
    await run(pulumi, args, { cwd: folder, env: { ...env, ...cli } });
  }
  const report = await doctor(cli);
  expect(failures(report)).toEqual([]);
  expect(JSON.stringify(report)).not.toContain(key);
  expect(report.checks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "stack", status: "ok" }),
      expect.objectContaining({
        check: "api-key",
        message: "set, from the stack's configuration docs-hosting:adminApiKey",
      }),
    ]),
  );
  const locked = await doctor({ ...cli, PULUMI_CONFIG_PASSPHRASE: "another" });
  expect(failures(locked)).toEqual(["stack", "base-url", "api-key"]);
});
