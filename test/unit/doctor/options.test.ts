import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageText } from "../../../provider/base/runtime/files/packageText.ts";
import { runCommand } from "../../../provider/doctor/command.ts";
import { readOptions, UsageError } from "../../../provider/doctor/options.ts";
import { thisMachine } from "../../../provider/doctor/thisMachine.ts";
import { notOnWindows, SIGNALS } from "../../systems.ts";

const HELP = packageText("provider/doctor/help.txt");
const OPTIONS = [...HELP.matchAll(/--[a-z-]+/g)].map(([name]) => name);

describe("a wrong command line", () => {
  test.each<[string[], string]>([
    [[], "give the command: doctor"],
    [["examine"], "there is no command examine"],
    [["\u001b[2Jexamine\n##[error]"], "there is no command \\u{1b}[2Jexamine\\u{a}# #[error]"],
    [["doctor", "--\u0007strat"], "--\\u{7}strat"],
    [["doctor", "docs.example.com"], "docs.example.com is not an option"],
    [["doctor", "--strat"], "--strat"],
    [["doctor", "--domain"], "--domain"],
    [["doctor", "--start"], "--start needs --domain"],
    [["doctor", "--project", "p1"], "--project needs --job"],
    [["doctor", "--prefix", "v"], "--prefix needs --bucket"],
    [["doctor", "--endpoint", "x", "--region", "y"], "--endpoint needs --bucket"],
    [["doctor", "--region", "x"], "--region needs --bucket"],
    [["doctor", "--base", "nginx"], "--base needs --repository"],
    [["doctor", "--plain-http"], "--plain-http needs --repository"],
    [["doctor", "a", "b"], "a b is not an option"],
    [
      ["doctor", "--write"],
      "--write needs --folder, --bucket, --azure-container, --gcs-bucket or --repository",
    ],
  ])("%j ends with status 2, and says what is wrong", async (args, message) => {
    const { stdout, stderr, exitCode } = await runCommand(args, thisMachine);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(message);
    expect(stderr).toContain("pulumi-docs-hosting --help");
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});

test("an unknown option is named, without advice on arguments that the command does not have", async () => {
  const { stderr } = await runCommand(["doctor", "--strat"], thisMachine);
  expect(stderr).toBe(
    "pulumi-docs-hosting: Unknown option '--strat'\nRun `pulumi-docs-hosting --help` for all options.\n",
  );
});

test.each([
  [["--start", "--domain", "docs.example.com"]],
  [["--project", "p1", "--job", "j1"]],
  [["--prefix", "v", "--endpoint", "x", "--region", "y", "--bucket", "docs", "--write"]],
  [["--base", "nginx", "--plain-http", "--repository", "r/docs", "--write"]],
  [["--folder", "/srv", "--write"]],
  [["--json", "--stack", "prod", "--base-url", "x", "--api-key-env", "K", "--signing-key-env", "S"]],
  [[]],
])("%j is a command line of the documentation", (args) => {
  const given = readOptions(["doctor", ...args]);
  for (const arg of args.filter((each) => each.startsWith("--"))) {
    expect(given).toHaveProperty([arg.slice(2)]);
    expect(given[arg.slice(2) as keyof typeof given]).not.toBe(false);
  }
  const { start, write, json, help, version, "plain-http": plainHttp } = readOptions(["doctor"]);
  expect([start, write, json, help, version, plainHttp]).toEqual(Array(6).fill(false));
});

describe("a program of this machine", () => {
  const run = (script: string): ReturnType<typeof thisMachine.run> =>
    thisMachine.run(process.execPath, ["-e", script]);

  test("ends with its code and its output, and never checks for updates of Pulumi", async () => {
    const script =
      "console.log(process.env.PULUMI_SKIP_UPDATE_CHECK, process.env.PATH); console.error('problem'); process.exitCode = 3";
    expect(await run(script)).toEqual({
      code: 3,
      stdout: `true ${process.env["PATH"] ?? ""}\n`,
      stderr: "problem\n",
    });
    expect(await run("")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("that does not exist, or was ended, has no code", async (context) => {
    notOnWindows(context, SIGNALS);
    expect(await thisMachine.run("no-such-program-of-docs-hosting", [])).toMatchObject({ code: undefined });
    expect(await run("process.kill(process.pid)")).toMatchObject({ code: undefined });
  });

  test("has the environment of this process", () => {
    expect(thisMachine.environment("PATH")).toBe(process.env["PATH"]);
    expect(thisMachine.environment("NO_SUCH_VARIABLE_OF_DOCS_HOSTING")).toBeUndefined();
  });
});

test("-h is --help", async () => {
  expect(await runCommand(["-h"], thisMachine)).toEqual({ stdout: HELP, stderr: "", exitCode: 0 });
});

test("--help and --version need no command", async () => {
  expect(await runCommand(["--help"], thisMachine)).toEqual({ stdout: HELP, stderr: "", exitCode: 0 });
  const { stdout, stderr, exitCode } = await runCommand(["--version"], thisMachine);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
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
