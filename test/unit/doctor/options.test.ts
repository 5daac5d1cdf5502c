import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../../provider/doctor/command.ts";
import { HELP, readOptions, UsageError } from "../../../provider/doctor/options.ts";
import { thisMachine } from "../../../provider/doctor/thisMachine.ts";

const OPTIONS = [...HELP.matchAll(/--[a-z-]+/g)].map(([name]) => name);

describe("a wrong command line", () => {
  test.each<[string[], string]>([
    [[], "give the command: doctor"],
    [["examine"], "there is no command examine"],
    [["doctor", "docs.example.com"], "docs.example.com is not an option"],
    [["doctor", "--strat"], "--strat"],
    [["doctor", "--domain"], "--domain"],
    [["doctor", "--start"], "--start needs --domain"],
    [["doctor", "--project", "p1"], "--project needs --job"],
    [["doctor", "--prefix", "v"], "--prefix needs --bucket"],
    [["doctor", "--base", "nginx"], "--base needs --repository"],
    [["doctor", "--write"], "--write needs --folder, --bucket or --repository"],
  ])("%j ends with status 2, and says what is wrong", async (args, message) => {
    const { stdout, stderr, exitCode } = await runCommand(args, thisMachine);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(message);
    expect(stderr).toContain("pulumi-docs-hosting --help");
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});

test("--help and --version need no command", async () => {
  expect(await runCommand(["--help"], thisMachine)).toEqual({ stdout: HELP, stderr: "", exitCode: 0 });
  const { stdout } = await runCommand(["--version"], thisMachine);
  const manifest = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8");
  expect(manifest).toContain(`"version": "${stdout.trim()}"`);
});

test("the help names each option, and the documentation, too", () => {
  const unknown = OPTIONS.filter((option) => {
    try {
      readOptions(["doctor", option, "x"]);
      return false;
    } catch (error) {
      return (error as Error).message.includes("Unknown option");
    }
  });
  expect(unknown).toEqual([]);
  const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/doctor.md"), "utf8");
  expect(OPTIONS.filter((option) => !page.includes(`\`${option}`))).toEqual([]);
});
