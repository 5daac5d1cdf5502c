// In the folder of a Pulumi project, with answers as the CLI gives them.
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { packageVersion } from "../../../provider/runtime/files/packageVersion.ts";
import type { Ended } from "../../../provider/doctor/host.ts";
import { examined, healthyMachine, KEY, NO_CLI, problemsOf, write, type Machine } from "./examined.ts";

const OWN_VERSION = packageVersion();
let machine: Machine;
/** What `pulumi config` answers. */
let answer: Ended;
/** Every run of the CLI. */
let runs: string[];

const configured = (settings: Record<string, { value?: string; secret: boolean }>): Ended => ({
  code: 0,
  stdout: JSON.stringify(settings),
  stderr: "",
});
const refused = (stderr: string): Ended => ({ code: 255, stdout: "", stderr });

function installed(name: string, version: string): void {
  write(join(machine.folder, "node_modules", name, "package.json"), JSON.stringify({ version }));
}

beforeEach(async () => {
  machine = await healthyMachine();
  runs = [];
  answer = configured({});
  machine.host.run = (command, args) => {
    runs.push([command, ...args].join(" "));
    return Promise.resolve(args[0] === "version" ? { code: 0, stdout: "v3.270.0\n", stderr: "" } : answer);
  };
  write(join(machine.folder, "Pulumi.yaml"), "name: docs\nruntime:\n  name: nodejs\n");
  installed("pulumi-docs-hosting", OWN_VERSION);
  installed("@pulumi/pulumi", "3.139.0");
});

test("settings come from the stack's configuration, and each source is named", async () => {
  const { service, environment } = machine;
  Reflect.deleteProperty(environment, "DOCS_HOSTING_BASE_URL");
  Reflect.deleteProperty(environment, "DOCS_HOSTING_ADMIN_API_KEY");
  service.setAdminApiKey("svc_c4n4ry-of-the-stack");
  answer = configured({
    "docs-hosting:baseUrl": { value: service.url, secret: false },
    "docs-hosting:adminApiKey": { value: "svc_c4n4ry-of-the-stack", secret: true },
    "docs-hosting:apiKeyPrefix": { value: "", secret: false },
    "docs:password": { value: "c4n4ry", secret: true },
  });
  const result = await examined(machine);
  expect(problemsOf(result)).toEqual([]);
  const messages = result.findings.map(({ check, message }) => `${check}: ${message}`);
  expect(messages).toEqual(
    expect.arrayContaining([
      `stack: the selected stack of ${machine.folder}/Pulumi.yaml has docs-hosting:baseUrl, docs-hosting:adminApiKey, docs-hosting:apiKeyPrefix`,
      `base-url: ${service.url}, from the stack's configuration docs-hosting:baseUrl`,
      "api-key: set, from the stack's configuration docs-hosting:adminApiKey",
      `settings: docs-hosting:apiKeyPrefix is "", from the stack's configuration docs-hosting:apiKeyPrefix`,
      "pulumi-sdk: @pulumi/pulumi 3.139.0",
      `package: pulumi-docs-hosting ${OWN_VERSION}`,
    ]),
  );
  expect(runs).toContain("pulumi config --show-secrets --json --non-interactive");
});

test("a stack is named with --stack, and the project is found from a folder below it", async () => {
  const below = join(machine.folder, "a/b");
  write(join(below, "file"), "");
  machine.host.folder = below;
  expect(problemsOf(await examined(machine, "--stack", "prod"))).toEqual([]);
  expect(runs).toContain("pulumi config --show-secrets --json --non-interactive --stack prod");
});

test("environment variables come first, also if the stack's configuration is wrong", async () => {
  answer = configured({ "docs-hosting:adminApiKey": { value: "wrong", secret: false } });
  expect(problemsOf(await examined(machine))).toEqual([]);
});

test("a key in plain text is a warning", async () => {
  Reflect.deleteProperty(machine.environment, "DOCS_HOSTING_ADMIN_API_KEY");
  answer = configured({ "docs-hosting:adminApiKey": { value: KEY, secret: false } });
  expect(problemsOf(await examined(machine))).toMatchObject([
    {
      check: "api-key",
      status: "warning",
      message: expect.stringContaining("in plain text") as unknown,
      remedy: expect.stringContaining("pulumi config set --secret docs-hosting:adminApiKey") as unknown,
    },
  ]);
});

test.each([
  [
    "error: no stack selected; please use `pulumi stack select`",
    /^Run `pulumi stack select`, or give --stack/,
  ],
  [
    "error: constructing secrets manager: passphrase must be set with PULUMI_CONFIG_PASSPHRASE",
    /^Set PULUMI_CONFIG_PASSPHRASE or/,
  ],
  [
    "error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions",
    /^Run `pulumi login`/,
  ],
  ["error: something else", /^Run `pulumi config` in this folder/],
])("an error of the CLI is named with what to do: %s", async (stderr, remedy) => {
  answer = refused(stderr);
  const [problem, ...others] = problemsOf(await examined(machine));
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ check: "stack", status: "failure" });
  expect(problem?.message).toContain(stderr.slice(0, 30));
  expect(problem?.remedy).toMatch(remedy);
});

test.each([
  ["is not there", NO_CLI],
  ["prints something else than JSON", { code: 0, stdout: "hello", stderr: "" }],
])("a CLI that %s leaves the environment's settings to be checked", async (_what, ended) => {
  answer = ended;
  const problems = problemsOf(await examined(machine));
  expect(problems.map(({ check }) => check)).toEqual(["stack"]);
});

test("packages that the program cannot load are named", async () => {
  write(join(machine.folder, "Pulumi.yaml"), "name: docs\nruntime: nodejs\nmain: infra\n");
  write(join(machine.folder, "infra/index.ts"), "");
  installed("pulumi-docs-hosting", "0.1.0");
  installed("@pulumi/pulumi", "3.100.1");
  expect(problemsOf(await examined(machine))).toMatchObject([
    {
      check: "package",
      status: "warning",
      remedy: expect.stringContaining("npx pulumi-docs-hosting doctor") as unknown,
    },
    {
      check: "pulumi-sdk",
      status: "failure",
      remedy: expect.stringContaining("3.139.0 or a later 3.x") as unknown,
    },
  ]);
  machine.host.folder = write(
    join(machine.folder, "../other/Pulumi.yaml"),
    "name: docs\nruntime: nodejs\n",
  ).replace(/\/[^/]*$/, "");
  expect(problemsOf(await examined(machine))).toMatchObject([
    {
      check: "package",
      status: "failure",
      remedy: expect.stringMatching(
        /npm install pulumi-docs-hosting`.*direct dependency of the program, not only of one of its dependencies/,
      ) as unknown,
    },
    {
      check: "pulumi-sdk",
      status: "failure",
      remedy: expect.stringContaining("npm install @pulumi/pulumi") as unknown,
    },
  ]);
});

test("a program in another language needs no packages of npm", async () => {
  machine.host.folder = write(
    join(machine.folder, "../other/Pulumi.yaml"),
    "name: docs\nruntime: python\n",
  ).replace(/\/[^/]*$/, "");
  expect(problemsOf(await examined(machine))).toEqual([]);
});

test("--stack outside of a project is a failure", async () => {
  machine.host.folder = write(join(machine.folder, "../elsewhere/file"), "").replace(/\/[^/]*$/, "");
  expect(problemsOf(await examined(machine, "--stack", "prod"))).toMatchObject([
    {
      check: "stack",
      status: "failure",
      message: expect.stringContaining("there is no Pulumi project") as unknown,
    },
  ]);
});
