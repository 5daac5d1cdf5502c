// The commands in the READMEs of the examples, exactly: in an empty folder outside of the repository, by a user without any
// settings. Only the values that a reader would replace are replaced.
import { mkdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readDocument } from "../documents.ts";
import { availableEngines, type EngineKind } from "../engine/index.ts";
import { startsOf } from "../stack/requests.ts";
import { shortened } from "../suites.ts";
import { exampleRegistries } from "./exampleRegistries.ts";
import { addCommand, addKubernetesPlugin, complaints, newUser, type } from "./exampleUser.ts";
import { packedPackage } from "./packedPackage.ts";

const packed = packedPackage();
const registries = exampleRegistries(packed, false);

interface Example {
  name: string;
  /** A reader's values in place of the README's, beside the service's address and key. */
  replaced: Record<string, string>;
  /** Types of the resources that the engine shows. */
  shows: string[];
  /** The number of export jobs that it starts. */
  starts: number;
  /** The folder, in the folder of the example, of the first Pulumi command. */
  startsIn?: string;
  /** A file that exists in the end. */
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
    // there is no registry here: the program and its output are tested in test/chart/
    replaced: { "pulumi up --continue-on-error": "pulumi preview" },
    shows: ["docs-hosting:StaticExport", "docs-hosting:BundleCopy"],
    starts: 0,
  },
  {
    name: "promotion",
    startsIn: "staging",
    // there is no cluster here: production is tested in test/cluster/
    replaced: {
      "registry.example.com/docs/site": "REGISTRY/docs/site",
      "registry.example.com/docs/nginx:1.30": "REGISTRY/nginx:1",
      "docs-staging/staging\npulumi up": "docs-staging/staging\npulumi preview",
    },
    shows: [
      "docs-hosting:StaticExport",
      "docs-hosting:BundleCopy",
      "docs-hosting:kubernetes:SelfHostedDocs",
      "helm.sh/v3:Release",
    ],
    starts: 1,
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
  return commands.replaceAll("REGISTRY/", `${registries.images.host}/`);
}

/** Logged in to a folder, with all prompts confirmed. */
function pulumiUser(kind: EngineKind, folder: string): NodeJS.ProcessEnv {
  const env = newUser(join(folder, "home"), registries.packages);
  const within = (name: string): string => join(folder, `${name} of ${kind}`);
  mkdirSync(within("state"));
  if (kind === "local") addCommand(within("commands"), "pulumi", "../engine/command.ts");
  return {
    ...env,
    PATH: `${within("commands")}${delimiter}${env["PATH"] ?? ""}`,
    HELM: "helm", // the test engine does not prompt in a preview
    PULUMI_HOME: join(folder, "home/.pulumi"), // it uses the account's home, not HOME
    PULUMI_BACKEND_URL: `file://${within("state")}`,
    PULUMI_CONFIG_PASSPHRASE: "scratch",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

const { kinds, skipped } = availableEngines();
if (skipped !== undefined) console.log(`examples: ${skipped}`);

describe.each(shortened(EXAMPLES, 2))(
  "the commands in the README of $name, in an empty folder",
  (example) => {
    let folder: string;
    let commands: string;
    let pulumiAt: number;
    let installed: string;
    beforeAll(async () => {
      folder = join(packed.folder, example.name);
      for (const name of ["home", "empty"]) mkdirSync(join(folder, name), { recursive: true });
      commands = commandsOf(example);
      pulumiAt = commands.search(/^pulumi /m);
      const env = newUser(join(folder, "home"), registries.packages);
      installed = await type(commands.slice(0, pulumiAt), join(folder, "empty"), env);
    });

    test("install the example without a warning", () => {
      expect(installed).toMatch(/^added \d+ packages/m);
      expect(complaints(installed)).toEqual([]);
    });

    test.each(kinds)("then run it without a warning (%s)", async (kind) => {
      const starts = (): number => startsOf(packed.service.requests).length;
      const before = starts();
      const project = join(folder, "empty", example.name);
      if (example.shows.includes("helm.sh/v3:Release")) {
        addKubernetesPlugin(join(folder, "home/.pulumi"), project);
      }
      const start = join(project, example.startsIn ?? "");
      const shown = await type(commands.slice(pulumiAt), start, pulumiUser(kind, folder));
      expect(complaints(shown)).toEqual([]);
      for (const resource of example.shows) expect(shown).toContain(resource);
      expect(starts() - before).toBe(example.starts);
      if (example.leaves !== undefined) {
        expect(statSync(join(project, example.leaves)).size).toBeGreaterThan(0);
      }
    });
  },
);
