// A review stack of examples/promotion/preview on the real CLI, as Pulumi Deployments makes it: its settings are a copy of
// Pulumi.pr.yaml. Pulumi's own engine reads such a file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test, vi } from "vitest";
import { findCommand } from "../programs/commands.ts";
import { exampleRegistries } from "./exampleRegistries.ts";
import { addKubernetesPlugin, newPulumiUser, type } from "./exampleUser.ts";
import { packedPackage } from "./packedPackage.ts";

/** Time for packages to be installed. */
vi.setConfig({ testTimeout: 600_000 });

const packed = packedPackage();
const registries = exampleRegistries(packed, true);

test("a review stack is previewed with the settings of Pulumi.pr.yaml, without a request to the service", async (context) => {
  const missing = ["pulumi", "pulumi-language-nodejs"].filter((command) => !findCommand(command));
  context.skip(missing.length > 0, "there is no pulumi with all that programs in typescript need on PATH");
  const { folder, env } = newPulumiUser(join(packed.folder, "review stack"), registries.packages);
  const unpack = `tar -xzf "${packed.tarball}" --strip-components 3`; // as the README lays a repository out
  await type(`${unpack} package/examples/promotion package/examples/self-hosted/chart`, folder, env);
  await type("npm install --no-audit --no-fund", folder, env);
  const preview = join(folder, "preview");
  const settings = readFileSync(join(preview, "Pulumi.pr.yaml"), "utf8");
  expect(settings.match(/registry\.example\.com/g)).toHaveLength(2);
  mkdirSync(join(folder, "site"));
  writeFileSync(join(folder, "site/index.html"), "<h1>A pull request</h1>");
  create({ file: join(preview, "site.tar.gz"), cwd: join(folder, "site"), gzip: true, sync: true }, ["."]);
  addKubernetesPlugin(env.PULUMI_HOME, folder);

  const asked = packed.service.requests.length;
  const [repository = "", base = ""] = ["docs-previews", "nginx:1"].map(
    (name) => `${registries.images.host}/${name}`,
  );
  const own = settings
    .replace("registry.example.com/docs-previews", repository)
    .replace("registry.example.com/docs/nginx:1.30", base);
  writeFileSync(join(preview, "Pulumi.pr-Acme-docs-12.yaml"), own);
  const shown = await type("pulumi stack init pr-Acme-docs-12\npulumi preview --diff", preview, env);
  expect(shown).toContain("docs-hosting:BundleCopy");
  expect(shown).toContain("docs-pr-acme-docs-12");
  expect(shown).toContain(`${repository}/pr-acme-docs-12`);
  expect(packed.service.requests.length).toBe(asked);
});
