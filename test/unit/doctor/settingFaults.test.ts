// Faults of the settings and of the machine.
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../../provider/doctor/command.ts";
import { thisMachine } from "../../../provider/doctor/thisMachine.ts";
import { healthyMachine, KEY, type Machine, write } from "./examined.ts";
import { testFaults } from "./faults.ts";

const unset = (environment: Machine["environment"], name: string): undefined => {
  Reflect.deleteProperty(environment, name);
};

testFaults([
  [
    "no base URL",
    ({ environment }) => unset(environment, "DOCS_HOSTING_BASE_URL"),
    { check: "base-url", message: "is not set", remedy: "pulumi config set docs-hosting:baseUrl" },
  ],
  [
    "a base URL with the version of the API",
    ({ environment, service }) => void (environment["DOCS_HOSTING_BASE_URL"] = `${service.url}/v1`),
    { check: "base-url", message: "DOCS_HOSTING_BASE_URL ends in /v1", remedy: /Write http.*:\d+$/ },
  ],
  [
    "a base URL of something else",
    ({ environment, service }) => void (environment["DOCS_HOSTING_BASE_URL"] = `${service.url}/wrong`),
    {
      check: "key-accepted",
      status: "warning",
      message: "with and without the key",
      remedy: "path and host of the base URL",
    },
  ],
  [
    "no key",
    ({ environment }) => unset(environment, "DOCS_HOSTING_ADMIN_API_KEY"),
    {
      check: "api-key",
      message: "the admin API key is not set",
      remedy: "--secret docs-hosting:adminApiKey",
    },
  ],
  [
    "a key of another kind",
    ({ environment }) => void (environment["DOCS_HOSTING_ADMIN_API_KEY"] = "pk_c4n4ry"),
    { check: "api-key", message: "its 9 characters do not begin with svc_", remedy: "API keys page" },
  ],
  [
    "a key with a line break",
    ({ environment }) => void (environment["DOCS_HOSTING_ADMIN_API_KEY"] = `${KEY}\n`),
    { check: "api-key", status: "warning", message: "white space around it", remedy: "Set it again" },
  ],
  [
    "a key that the service does not know",
    ({ service }) => service.setAdminApiKey("svc_rotated") as undefined,
    {
      check: "key-accepted",
      message: "the service rejected the API key",
      remedy: "DOCS_HOSTING_ADMIN_API_KEY",
    },
  ],
  [
    "a key without the right",
    ({ service }) => {
      service.intercept(() => ({ status: 403, body: { error: "the key may not read exports" } }));
      return undefined;
    },
    { check: "key-accepted", message: "the key may not read exports", remedy: "the API key lacks the scope" },
  ],
  [
    "a home folder that cannot be written",
    ({ environment, folder }) =>
      void (environment["PULUMI_HOME"] = join(write(join(folder, "file"), ""), "home")),
    { check: "pulumi-home", message: "ENOTDIR", remedy: "set PULUMI_HOME to another folder" },
  ],
  [
    "a temporary folder that cannot be written",
    ({ host, folder }) => void (host.temporaryFolder = write(join(folder, "tmp"), "")),
    { check: "temporary-folder", message: "ENOTDIR", remedy: "set TMPDIR to another folder" },
  ],
  [
    "a Node.js that is too old",
    ({ host }) => void (host.nodeVersion = "22.11.0"),
    { check: "node", message: "Node.js 22.11.0 is too old", remedy: "Install Node.js 22.12 or later" },
  ],
]);

test("an error of the checks themselves is reported, without secrets", async () => {
  const machine = await healthyMachine();
  machine.host.run = () => Promise.reject(new Error("svc_c4n4ry is in this text"));
  const { stdout, stderr, exitCode } = await runCommand(["doctor"], {
    ...thisMachine,
    ...machine.host,
    folder: machine.folder,
  });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
  expect(stdout).toMatch(
    /\nfailure  pulumi-cli +internal error \(Error: \[removed\] is in this text\)\n +Please report it\.\n/,
  );
});
