// What the first preview of a program in YAML refuses, on the real CLI: its language host calls no function while one of its arguments is
// unknown, and does not check the enums of arguments.
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { firstPreview, missingForYaml, ROOT } from "./yamlProgram.ts";

/** A program that installs an export, which does not exist before the first `up`. */
const program = (kind: string, features: string): string => `
name: first
runtime: yaml
plugins: { providers: [{ name: docs-hosting, path: ${JSON.stringify(join(ROOT, "plugin"))} }] }
variables:
  checked:
    fn::invoke:
      function: docs-hosting:installationFeatures
      arguments: { deploymentKind: ${kind}, features: ${features} }
  installation:
    fn::invoke:
      function: docs-hosting:installationValues
      arguments:
        deploymentKind: \${checked.deploymentKind}
        features: \${checked.features}
        bundleUrl: \${docs.bundleUrl}
resources:
  docs:
    type: docs-hosting:StaticExport
    properties: { domain: docs.example.com }
outputs:
  values: \${installation.values}
`;

const preview = (context: TestContext, text: string): Promise<string> =>
  firstPreview(context, { "Pulumi.yaml": text });

test.for<[what: string, kind: string, features: string, said: string]>([
  ["a kind that does not exist", "cloud", "{}", 'there is no deploymentKind "cloud"'],
  ["a feature that does not exist", "client-hosted", "{ serach: true }", 'there is no feature "serach"'],
  [
    "a feature that the kind does not have",
    "air-gapped",
    "{ search: true }",
    "Documentation search: unavailable",
  ],
])("the first preview refuses %s, while the link is unknown", async ([, kind, features, said], context) => {
  context.skip(missingForYaml.length > 0, "there is no pulumi with all that programs in YAML need on PATH");
  await expect(preview(context, program(kind, features))).rejects.toThrow(said);
});

test("the first preview takes a kind and features that exist, and the values are unknown", async (context) => {
  context.skip(missingForYaml.length > 0, "there is no pulumi with all that programs in YAML need on PATH");
  const shown = await preview(context, program("client-hosted", "{ search: true }"));
  expect(shown).toMatch(/values *: \[unknown\]/);
  expect(shown).toMatch(/\+ 2 to create/);
});
