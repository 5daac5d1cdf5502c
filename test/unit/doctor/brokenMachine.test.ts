// A machine on which a check itself fails: every other check still has its result.
import { expect, test } from "vitest";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import { runCommand } from "../../../provider/doctor/command.ts";
import { examine } from "../../../provider/doctor/doctor.ts";
import type { Finding } from "../../../provider/doctor/finding.ts";
import { readOptions } from "../../../provider/doctor/options.ts";
import { examined, healthyMachine, hostOf, write } from "./examined.ts";

const named = (findings: readonly Finding[], check: string): Finding | undefined =>
  findings.find((each) => each.check === check);
const checksOf = (findings: readonly Finding[]): string[] => findings.map(({ check }) => check);

test("a user without a home folder gets all other checks, and is told to set PULUMI_HOME", async () => {
  const machine = await healthyMachine();
  const healthy = await examined(machine, "--domain", "docs.example.com");
  delete machine.environment["PULUMI_HOME"];
  machine.host.homeFolder = () => {
    throw Object.assign(new Error("A system error occurred: uv_os_homedir returned ENOENT"), {
      name: "SystemError",
      code: "ERR_SYSTEM_ERROR",
    });
  };
  const homeless = await examined(machine, "--domain", "docs.example.com");
  expect(checksOf(homeless.findings)).toEqual(checksOf(healthy.findings));
  expect(homeless.findings.filter(({ status }) => status === "failure")).toEqual([
    {
      check: "pulumi-home",
      status: "failure",
      message: "this user has no home folder",
      remedy: "Set PULUMI_HOME to a folder that this user may write, or set HOME.",
    },
  ]);
  expect(homeless.exitCode).toBe(1);
});

test("a manifest of the program that is no JSON fails only its own check", async () => {
  const machine = await healthyMachine();
  write(`${machine.folder}/Pulumi.yaml`, "name: docs\nruntime: nodejs\n");
  write(`${machine.folder}/node_modules/pulumi-docs-hosting/package.json`, "{");
  const { findings } = await examined(machine);
  expect(named(findings, "package")).toMatchObject({ status: "failure" });
  expect(named(findings, "pulumi-sdk")).toMatchObject({
    message: expect.stringContaining("@pulumi/pulumi") as unknown,
  });
  expect(named(findings, "key-accepted")).toMatchObject({ status: "ok" });
  expect(named(findings, "pulumi-home")).toMatchObject({ status: "ok" });
});

const broken = (): never => {
  throw new TypeError("broken");
};

// each part of the machine, and the check that fails with it
test.each([
  ["folder", "stack"],
  ["run", "pulumi-cli"],
  ["temporaryFolder", "temporary-folder"],
  ["lookup", "connection"],
] as const)("a machine whose %s fails has every other check, as text and as JSON", async (part, check) => {
  const machine = await healthyMachine();
  if (part === "lookup") machine.environment["DOCS_HOSTING_BASE_URL"] = "https://api.example.test";
  const host = Object.defineProperty(
    { ...hostOf(machine) },
    part,
    part === "run" || part === "lookup" ? { value: broken } : { get: broken },
  );
  const { findings } = await examine({ options: readOptions(["doctor"]), host, secrets: new Secrets() });
  expect(named(findings, check)).toMatchObject({
    status: "failure",
    message: "internal error (TypeError: broken)",
  });
  for (const other of ["node", "package", "pulumi-cli", "base-url", "api-key", "settings", "pulumi-home"]) {
    expect(checksOf(findings)).toContain(other);
  }
  const { stdout, exitCode } = await runCommand(["doctor", "--json"], host);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false });
  expect(exitCode).toBe(1);
});
