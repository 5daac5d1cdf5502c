// What the READMEs of the examples tell to type, by the letter: in an empty folder outside of the repository, by a user who has
// no settings of any kind. Only what a reader would replace is replaced.
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDocument } from "../documents.ts";
import { availableEngines, type EngineKind } from "../engine/index.ts";
import { startsOf } from "../stack/requests.ts";
import { packedPackage } from "./packedPackage.ts";
import { publish, type Registry } from "./registry.ts";

const run = promisify(execFile);
const packed = packedPackage();
let registry: Registry;
let npmCache: string;

beforeAll(async () => {
  registry = await publish(packed.tarball);
  npmCache = (await run("npm", ["config", "get", "cache"])).stdout.trim();
});
afterAll(() => registry.close());

interface Example {
  name: string;
  /** What a reader puts in the place of what the README says, beside the service's address and key. */
  replaced: Record<string, string>;
  /** Types of the resources that the engine shows. */
  shows: string[];
  /** How many export jobs it starts. */
  starts: number;
  /** A file that there is in the end. */
  leaves?: string;
}

const EXAMPLES: Example[] = [
  {
    name: "quickstart",
    replaced: {},
    shows: ["docs-hosting:StaticExport"],
    starts: 1,
    leaves: "site.tar.gz",
  },
  {
    name: "agent-gate",
    replaced: { "projectId …": "projectId p1", "agentJobId …": "agentJobId a1" },
    shows: ["docs-hosting:AgentJob", "docs-hosting:StaticExport"],
    starts: 1,
  },
  {
    name: "fleet",
    replaced: {},
    shows: ["docs-hosting:StaticExport"],
    starts: 2,
  },
  {
    name: "air-gapped",
    // there is neither cluster nor registry here
    replaced: { "pulumi up": "pulumi preview" },
    shows: [
      "docs-hosting:StaticExport",
      "docs-hosting:BundleCopy",
      "docs-hosting:kubernetes:SelfHostedDocs",
      "helm.sh/v3:Release",
    ],
    starts: 0,
  },
  {
    name: "fleet/gitops",
    // there is no registry here: the program and what it writes are tested in test/chart/
    replaced: { "pulumi up --continue-on-error": "pulumi preview" },
    shows: ["docs-hosting:StaticExport", "docs-hosting:BundleCopy"],
    starts: 0,
  },
  {
    name: "self-hosted",
    // there is no cluster here: `up` is tested in test/cluster/
    replaced: { "pulumi up": "pulumi preview" },
    shows: ["docs-hosting:StaticExport", "docs-hosting:kubernetes:SelfHostedDocs", "helm.sh/v3:Release"],
    starts: 0,
  },
];

/** The block of commands that begins with the package, with a reader's own values in it. */
function commandsOf({ name, replaced }: Example): string {
  const blocks = readDocument(`examples/${name}/README.md`).scripts.filter((block) =>
    block.includes("npm install"),
  );
  expect(blocks).toHaveLength(1);
  const { DOCS_HOSTING_BASE_URL: url = "", DOCS_HOSTING_ADMIN_API_KEY: key = "" } = packed.env;
  let commands = blocks.join();
  for (const [written, own] of Object.entries({
    "https://api.your-docs-host.example": url,
    "svc_…": key,
    ...replaced,
  })) {
    expect(commands).toContain(written);
    commands = commands.replace(written, own);
  }
  return commands;
}

/** Of a new user, to whom npm and Pulumi say nothing of whoever runs this test. */
function newUser(folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm|pulumi|docs_hosting)_/i.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    HOME: folder,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
    npm_config_registry: registry.url,
    npm_config_cache: npmCache,
    npm_config_update_notifier: "false",
  };
}

/** Who is logged in to a folder, and has said yes to every question. */
function pulumiUser(kind: EngineKind, folder: string): NodeJS.ProcessEnv {
  const env = newUser(join(folder, "home"));
  const within = (name: string): string => join(folder, `${name} of ${kind}`);
  mkdirSync(within("state"));
  if (kind === "local") addCommand(within("commands"), "pulumi", "../engine/command.ts");
  return {
    ...env,
    PATH: `${within("commands")}${delimiter}${env["PATH"] ?? ""}`,
    HELM: "helm", // which the test engine does not ask in a preview
    PULUMI_HOME: join(folder, "home/.pulumi"), // it takes the home of the account, whatever HOME says
    PULUMI_BACKEND_URL: `file://${within("state")}`,
    PULUMI_CONFIG_PASSPHRASE: "scratch",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

function addCommand(folder: string, name: string, program: string, ...args: string[]): void {
  mkdirSync(folder, { recursive: true });
  const words = ["node", join(import.meta.dirname, program), ...args].map((word) => `"${word}"`);
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Where Pulumi looks for the plugin of this version of @pulumi/kubernetes. */
function addKubernetesPlugin(folder: string, project: string): void {
  const manifest = join(project, "node_modules/@pulumi/kubernetes/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const plugin = join(folder, `home/.pulumi/plugins/resource-kubernetes-v${version}`);
  addCommand(plugin, "pulumi-resource-kubernetes", "kubernetesPlugin.ts", version);
}

/** @returns all that is shown */
async function type(commands: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd, env, maxBuffer: 2 ** 26 };
  const { stdout } = await run("sh", ["-e", "-c", `exec 2>&1\n${commands}`], options).catch(
    (error: unknown) => {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    },
  );
  return stdout;
}

/** Lines that tell of something that is not as it should be. */
const complaints = (shown: string): string[] => shown.split("\n").filter((line) => /warn|error/i.test(line));

const { kinds, skipped } = availableEngines();
if (skipped !== undefined) console.log(`examples: ${skipped}`);

describe.each(EXAMPLES)("what the README of $name tells to type, in an empty folder", (example) => {
  let folder: string;
  let commands: string;
  let pulumiAt: number;
  let installed: string;
  beforeAll(async () => {
    folder = join(packed.folder, example.name);
    for (const name of ["home", "empty"]) mkdirSync(join(folder, name), { recursive: true });
    commands = commandsOf(example);
    pulumiAt = commands.search(/^pulumi /m);
    const env = newUser(join(folder, "home"));
    installed = await type(commands.slice(0, pulumiAt), join(folder, "empty"), env);
  });

  test("installs the example without a warning", () => {
    expect(installed).toMatch(/^added \d+ packages/m);
    expect(complaints(installed)).toEqual([]);
  });

  test.each(kinds)("then runs it without a warning (%s)", async (kind) => {
    const starts = (): number => startsOf(packed.service.requests).length;
    const before = starts();
    const project = join(folder, "empty", example.name);
    if (example.shows.includes("helm.sh/v3:Release")) addKubernetesPlugin(folder, project);
    const shown = await type(commands.slice(pulumiAt), project, pulumiUser(kind, folder));
    expect(complaints(shown)).toEqual([]);
    for (const resource of example.shows) expect(shown).toContain(resource);
    expect(starts() - before).toBe(example.starts);
    if (example.leaves !== undefined) {
      expect(statSync(join(project, example.leaves)).size).toBeGreaterThan(0);
    }
  });
});
