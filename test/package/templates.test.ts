// The templates of `pulumi new` and the policy pack on the real CLI: the commands in their READMEs, exactly, with a user's answers to
// the prompts. Pulumi's engine alone knows templates and policies.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readDocument } from "../documents.ts";
import { findCommand } from "../programs/commands.ts";
import { newPulumiUser, type } from "./exampleUser.ts";
import { packedPackage } from "./packedPackage.ts";
import { type Registry, startRegistry } from "./registry.ts";

/** Time for packages to be installed. */
vi.setConfig({ testTimeout: 600_000 });

const TEMPLATES = [
  { name: "typescript", needs: ["pulumi-language-nodejs"] },
  { name: "python", needs: ["pulumi-language-python", "python3"] },
  { name: "yaml", needs: ["pulumi-language-yaml"] },
];

const packed = packedPackage();
let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry(packed.tarball, false);
});
afterAll(() => registry.close());

/** The commands of a template, with a user's answers. */
function commandsOf(name: string): string {
  const { scripts } = readDocument("examples/templates/README.md");
  const template = scripts.find((block) => block.includes(`pulumi new ../templates/${name} `)) ?? "";
  const { DOCS_HOSTING_BASE_URL: url = "", DOCS_HOSTING_ADMIN_API_KEY: key = "" } = packed.env;
  const answers = {
    domain: "docs.example.com",
    version: "v1",
    "docs-hosting:baseUrl": url,
    "docs-hosting:adminApiKey": key,
  };
  const flags = Object.entries(answers).map(([setting, value]) => `--config ${setting}=${value}`);
  expect(template).toContain(" --stack prod");
  return template.replace(" --stack prod", ` --stack prod --yes ${flags.join(" ")}`);
}

describe.each(TEMPLATES)("`pulumi new` with the template $name", ({ name, needs }) => {
  const missing = ["pulumi", ...needs].filter((command) => !findCommand(command));

  test("makes a project that exports the site, and the next `up` changes nothing", async (context) => {
    context.skip(missing.length > 0, `there is no pulumi with all that programs in ${name} need on PATH`);
    const { folder, env } = newPulumiUser(join(packed.folder, `template ${name}`), registry);
    const shown = await type(commandsOf(name), folder, env);
    expect(shown).toContain("+ 2 created");
    const again = await type("pulumi up --yes --skip-preview --non-interactive", join(folder, "docs"), env);
    expect(again).toContain("2 unchanged");
    expect(shown + again).not.toContain(packed.env["DOCS_HOSTING_ADMIN_API_KEY"]);
    expect(again).toMatch(/link +: \[secret\]/);
  });
});

test("the policy pack accepts the project of a template, and names the property that breaks a rule", async (context) => {
  const missing = ["pulumi", "pulumi-language-nodejs"].filter((command) => !findCommand(command));
  context.skip(missing.length > 0, `there is no pulumi with all that programs in typescript need on PATH`);
  const { folder, env } = newPulumiUser(join(packed.folder, "policies"), registry);
  await type(commandsOf("typescript"), folder, env);
  const project = join(folder, "docs");
  const [commands = ""] = readDocument("examples/policies/README.md").scripts;
  expect(await type(commands, project, env)).toContain("2 unchanged");
  await type("pulumi config set docs-hosting:allowInsecure true", project, env);
  await type("pulumi config set docs-hosting:baseUrl http://api.example.com", project, env);
  const refused = type("pulumi preview --policy-pack ../policies", project, env);
  await expect(refused).rejects.toThrow(/encrypted-connections[\s\S]*`baseUrl` must begin with https:/);
});
