// A component package in TypeScript that uses the classes, as a program in another language has it: on the real CLI.
import { expect, test } from "vitest";
import { firstPreview, missingForYaml } from "./yamlProgram.ts";

/** A package with one component. @param body its resources */
const component = (body: string): Readonly<Record<string, string>> => ({
  "package/PulumiPlugin.yaml": "runtime: nodejs\n",
  "package/package.json": '{ "name": "docs-site", "version": "1.0.0", "main": "index.ts" }',
  "package/tsconfig.json": JSON.stringify({
    compilerOptions: {
      strict: true,
      target: "es2022",
      module: "nodenext",
      moduleResolution: "nodenext",
      skipLibCheck: true,
      types: ["node"],
    },
    files: ["index.ts"],
  }),
  "package/index.ts": `
import * as pulumi from "@pulumi/pulumi";
import { AgentJob, BundleCopy, StaticExport } from "pulumi-docs-hosting";

export interface DocsSiteArgs {
  domain: pulumi.Input<string>;
}

export class DocsSite extends pulumi.ComponentResource {
  public readonly domain: pulumi.Output<string>;
  constructor(name: string, args: DocsSiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super("docs-site:index:DocsSite", name, args, opts);
    void [AgentJob, BundleCopy, StaticExport];
    this.domain = pulumi.output(args.domain);
    ${body}
    this.registerOutputs({ domain: this.domain });
  }
}
`,
  "program/Pulumi.yaml": `
name: user
runtime: yaml
packages: { docs-site: ../package }
resources:
  site:
    type: docs-site:DocsSite
    properties: { domain: docs.example.com }
outputs:
  domain: \${site.domain}
`,
});

test.for([
  ["StaticExport", "new StaticExport(`${name}-docs`, args, { parent: this });"],
  ["AgentJob", 'new AgentJob("job", { projectId: "p", id: "1" }, { parent: this });'],
  [
    "BundleCopy",
    'new BundleCopy("copy", { source: { file: "a.tgz", version: "1" }, destination: { folder: "copies" } });',
  ],
] as const)(
  "F7 %s in a component package is one message that names the plugin, without a stack trace",
  { timeout: 120_000 },
  async ([kind, body], context) => {
    context.skip(missingForYaml.length > 0, "there is no pulumi with all that programs in YAML need on PATH");
    const shown = await firstPreview(context, component(body), "program").then(
      () => "no error",
      (error: unknown) => String(error),
    );
    expect(shown).toContain(`${kind} "`);
    expect(shown).toContain("do not work in a component package");
    expect(shown).toContain("pulumi package add ./node_modules/pulumi-docs-hosting/plugin");
    expect(shown).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
  },
);

test("F7 such a package without a resource of the classes works", async (context) => {
  context.skip(missingForYaml.length > 0, "there is no pulumi with all that programs in YAML need on PATH");
  const shown = await firstPreview(context, component(""), "program");
  expect(shown).toContain('domain: "docs.example.com"');
}, 120_000);
