// Programs that run others by Pulumi's Automation API: several stacks in one process, each with the key of its own account.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { expect, test, type TestContext, vi } from "vitest";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";
import { getAgentJob } from "../../sdk/getAgentJob.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { writeProgram } from "./programFolder.ts";
import { readAgentJob, readRequests, readSideBySide, wholeExport } from "./requests.ts";
import { buildWorld, CANARY_KEY, cliOnly, onEachEngine, type World } from "./world.ts";

const OTHER_KEY = "svc_0th3r-k3y";

/** Runs work as Automation API runs a program: with its own configuration, across awaits. */
const { withLocalStorage } = createRequire(import.meta.url)("@pulumi/pulumi/runtime/state") as {
  withLocalStorage: <T>(work: () => Promise<T>) => Promise<T>;
};

/** Two accounts, whose agent jobs have the same ids. */
async function twoAccounts(context: TestContext): Promise<ReferenceService[]> {
  return Promise.all(
    [CANARY_KEY, OTHER_KEY].map(async (adminApiKey, index) => {
      const service = await startReferenceService({ sites: {}, adminApiKey });
      service.agentJobs.set("p1", { id: "a1", status: "completed", model: `model-${index}` });
      context.onTestFinished(() => service.close());
      return service;
    }),
  );
}

const SCRIPT = `
  const { LocalWorkspace } = require("@pulumi/pulumi/automation");
  const { getAgentJobOutput, StaticExport } = require("pulumi-docs-hosting");
  const { accounts, local, envVars } = JSON.parse(process.argv[2]);

  const program = async () => {
    const { model } = getAgentJobOutput({ projectId: "p1", id: "a1" });
    const docs = new StaticExport("docs", { domain: "docs.example.com", triggers: [model] });
    return { model, jobId: docs.jobId, bundleUrl: docs.bundleUrl };
  };
  const life = async ({ stackName, ...source }, { url, key }) => {
    const stack = await LocalWorkspace.createOrSelectStack({ stackName, ...source }, { envVars });
    const baseUrl = { value: url };
    await stack.setAllConfig({ "docs-hosting:baseUrl": baseUrl, "docs-hosting:adminApiKey": { value: key, secret: true } });
    const { outputs } = await stack.up();
    const { summary } = await stack.up();
    const { deployment } = await stack.exportStack();
    await stack.destroy();
    // with its secrets: Automation API shows them
    return { outputs, changes: summary.resourceChanges, state: JSON.stringify(deployment) };
  };
  Promise.all([
    life({ stackName: "one", projectName: "inline", program }, accounts[0]),
    life({ stackName: "two", projectName: "inline", program }, accounts[1]),
    life({ stackName: "three", workDir: local }, accounts[1]),
  ]).then((lives) => console.log(JSON.stringify(lives)));
`;

interface Life {
  outputs: Record<"model" | "jobId" | "bundleUrl", { value: string; secret: boolean }>;
  changes: Record<string, number>;
  state: string;
}

async function runScript(world: World, services: readonly ReferenceService[]): Promise<Life[]> {
  const local = world.programFolder;
  mkdirSync(join(local, "infra"));
  writeProgram(
    join(local, "infra"),
    `const { model } = getAgentJobOutput({ projectId: "p1", id: "a1" });
     const docs = new StaticExport("docs", { domain: "docs.example.com", triggers: [model] });
     module.exports = { model, jobId: docs.jobId, bundleUrl: docs.bundleUrl };`,
  );
  writeFileSync(join(local, "Pulumi.yaml"), "name: local\nruntime: nodejs\nmain: infra/\n");
  writeFileSync(join(local, "automation.cjs"), SCRIPT);
  const accounts = services.map(({ url }, index) => ({ url, key: [CANARY_KEY, OTHER_KEY][index] }));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DOCS_HOSTING_BASE_URL: undefined,
    DOCS_HOSTING_ADMIN_API_KEY: undefined,
    // the Node that runs the tests, not another one on PATH
    PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
  };
  const state = join(local, "state");
  const envVars = {
    PULUMI_HOME: join(state, "home"),
    PULUMI_BACKEND_URL: `file://${local}`,
    PULUMI_CONFIG_PASSPHRASE: "correct horse",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["automation.cjs", JSON.stringify({ accounts, local, envVars })],
    { cwd: local, env },
  );
  return JSON.parse(stdout) as Life[];
}

const ONLY = {
  adapter: "dynamic",
  reason: "getAgentJob of the npm package runs in the program's own process",
} as const;

onEachEngine({ name: "Automation API", only: ONLY }, (kind) => {
  test.concurrent(
    "C08, C09 two inline programs and a local one in a sub-folder, at once in one process: each sends the key of its own stack",
    async (context) => {
      cliOnly(
        context,
        kind,
        "Automation API runs `pulumi`; the next test shows what is the package's own part",
      );
      const world = await buildWorld(context, kind);
      const services = [world.service, await world.startService(OTHER_KEY)];
      for (const [index, { agentJobs }] of services.entries()) {
        agentJobs.set("p1", { id: "a1", status: "completed", model: `model-${index}` });
      }
      const lives = await runScript(world, services);
      expect(lives.map(({ outputs }) => outputs.model.value)).toEqual(["model-0", "model-1", "model-1"]);
      for (const { outputs, changes } of lives) {
        expect(changes).toEqual({ same: 2 });
        expect(outputs.bundleUrl.secret).toBe(true);
        expect(outputs.bundleUrl.value).toContain(outputs.jobId.value);
      }
      const keysIn = ({ state }: Life): Set<string> => new Set(state.match(/svc_[\w-]+/g));
      expect(lives.map(keysIn)).toEqual([CANARY_KEY, OTHER_KEY, OTHER_KEY].map((key) => new Set([key])));
      // one export for each stack, and each program's reads: nothing else, and nothing of the other account
      const [one = [], two = [], three = []] = lives.map(({ outputs }) => wholeExport(outputs.jobId.value));
      expect(services.map(({ requests }) => readSideBySide(requests))).toEqual([
        [...one, readAgentJob()].sort(),
        [...two, ...three, readAgentJob()].sort(),
      ]);
    },
  );

  test.concurrent(
    "C08 two programs at once in one process: the reads of each send the key of its own stack",
    async (context) => {
      const services = await twoAccounts(context);
      // each answer is held until both have sent a request
      for (const service of services) {
        service.intercept(async () => {
          await vi.waitUntil(() => services.every(({ requests }) => requests.length > 0), PATIENTLY);
          return undefined;
        });
      }
      const models = await Promise.all(
        services.map((service, index) =>
          withLocalStorage(async () => {
            const key = [CANARY_KEY, OTHER_KEY][index] ?? "";
            pulumi.runtime.setAllConfig(
              { "docs-hosting:baseUrl": service.url, "docs-hosting:adminApiKey": key },
              ["docs-hosting:adminApiKey"],
            );
            return (await getAgentJob({ projectId: "p1", id: "a1" })).model;
          }),
        ),
      );
      expect(models).toEqual(["model-0", "model-1"]);
      expect(services.map(({ requests }) => readRequests(requests))).toEqual([
        [readAgentJob()],
        [readAgentJob()],
      ]);
    },
  );
});
