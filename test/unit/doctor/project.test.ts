// In the folder of a Pulumi project, with answers as the CLI gives them.
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { packageVersion } from "../../../provider/base/runtime/files/packageText.ts";
import type { Ended } from "../../../provider/doctor/host.ts";
import { examined, healthyMachine, type Machine, problemsOf, write } from "./examined.ts";

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
