// examples/promotion/preview, as its README uses it: from a bundle of CI, without the service, and gone with its stack. The objects of
// Kubernetes are stand-ins.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import ts from "typescript";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type RegistryStub, startRegistryStub, storeBase } from "../../simulation/registryStub.ts";
import { releaseLogFile, standInRelease } from "../standInRelease.ts";
import { buildWorld, onEachEngine, succeeded, type World } from "../world.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");

/** The example's program with a stand-in for the namespace, whose life is in the log, too. */
function program(log: string): string {
  const text = readFileSync(join(EXAMPLES, "promotion/preview/index.ts"), "utf8");
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const handler = `exports.handler = () => {
    const note = (line, { __log }) => require("fs").appendFileSync(__log, line + "\\n");
    return {
      async create(inputs) { note("create " + inputs.metadata.name, inputs); return { id: inputs.metadata.name, outs: inputs }; },
      async delete(id, properties) { note("delete " + id, properties); },
    };
  };`;
  return `${standInRelease(log)}
    class Namespace extends pulumi.CustomResource {
      constructor(name, { metadata }) {
        const made = { metadata, __provider: ${JSON.stringify(handler)}, __log: ${JSON.stringify(log)} };
        super("pulumi-nodejs:dynamic/test:Namespace", name, made);
      }
    }
    const stood = { ...kubernetes, core: { v1: { Namespace } } };
    const load = (name) => (name === "@pulumi/kubernetes" ? stood : require(name));
    (function (exports, require) { ${outputText} })(module.exports, load);`;
}

/** What the CI of a pull request leaves: `site.tar.gz` in the program's folder. @returns its path */
function packSite(world: World, text: string): string {
  const site = join(world.programFolder, "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), `<h1>${text}</h1>`);
  const bundle = join(world.programFolder, "site.tar.gz");
  create({ file: bundle, cwd: site, gzip: true, sync: true }, ["."]);
  return bundle;
}

/** The settings of a review stack: those of the file, in the registry of the test. */
function reviewSettings(registry: RegistryStub): Record<string, string> {
  const file = join(EXAMPLES, "promotion/preview/Pulumi.pr.yaml");
  const { config } = parse(readFileSync(file, "utf8")) as { config: Record<string, string> };
  const own: Record<string, string> = {
    "registry.example.com/docs-previews": `${registry.host}/previews`,
    "registry.example.com/docs/nginx:1.30": `${registry.host}/nginx:1`,
    "../chart": join(EXAMPLES, "self-hosted/chart"),
  };
  expect(Object.values(config)).toEqual(expect.arrayContaining(Object.keys(own)));
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const [project, name = ""] = key.split(":");
      expect(project).toBe("docs-preview");
      return [name, own[value] ?? value];
    }),
  );
}

onEachEngine("the preview of a pull request", (kind) => {
  test.concurrent(
    "starts no job, has a namespace of its own, and is gone with its stack",
    async (context) => {
      const [world, registry] = [await buildWorld(context, kind), await startRegistryStub(context)];
      storeBase(registry, "1");
      const bundle = packSite(world, "A pull request");
      const config = {
        bundle,
        version: "c0ffee",
        repository: `${registry.host}/previews`,
        base: `${registry.host}/nginx:1`,
        chart: join(EXAMPLES, "self-hosted/chart"),
      };
      for (const [name, value] of Object.entries(config)) await world.stack.setConfig(name, value);
      const log = releaseLogFile(world);
      world.program(program(log));

      const { outputs } = succeeded(await world.stack.up());
      const image = String(outputs["image"]?.value);
      expect(image).toMatch(new RegExp(`^${registry.host}/previews/test@sha256:[0-9a-f]{64}$`));
      expect(readFileSync(log, "utf8")).toBe("create docs-test\ninstall c0ffee\n");
      expect(world.service.requests).toEqual([]);

      succeeded(await world.stack.destroy());
      expect(readFileSync(log, "utf8").split("\n").slice(2)).toEqual(["uninstall", "delete docs-test", ""]);
      expect(registry.requests).toContain(`DELETE /v2/previews/test/manifests/${image.split("@")[1] ?? ""}`);
    },
  );

  test.concurrent(
    "is a review stack with the settings of Pulumi.pr.yaml, and another bundle under the same version updates it",
    async (context) => {
      const [world, registry] = [await buildWorld(context, kind), await startRegistryStub(context)];
      storeBase(registry, "1");
      packSite(world, "The first commit");
      for (const [name, value] of Object.entries(reviewSettings(registry))) {
        await world.stack.setConfig(name, value);
      }
      const log = releaseLogFile(world);
      world.program(program(log));

      succeeded(await world.stack.preview());
      const { outputs: first } = succeeded(await world.stack.up());
      packSite(world, "The second commit");
      const { outputs: second } = succeeded(await world.stack.up());
      expect(second["image"]?.value).not.toBe(first["image"]?.value);
      expect(readFileSync(log, "utf8")).toBe("create docs-test\ninstall review\nupgrade review\n");
      expect(world.service.requests).toEqual([]);
    },
  );
});
