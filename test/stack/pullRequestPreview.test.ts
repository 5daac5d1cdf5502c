// examples/promotion/preview, as its README uses it: from a bundle of CI, without the service, and gone with its stack. The objects of
// Kubernetes are stand-ins.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import ts from "typescript";
import { expect, test } from "vitest";
import { startRegistryStub, storeBase } from "../simulation/registryStub.ts";
import { releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine, succeeded } from "./world.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples");

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

onEachEngine("the preview of a pull request", (kind) => {
  test.concurrent(
    "starts no job, has a namespace of its own, and is gone with its stack",
    async (context) => {
      const [world, registry] = [await buildWorld(context, kind), await startRegistryStub(context)];
      storeBase(registry, "1");
      const site = join(world.programFolder, "site");
      mkdirSync(site);
      writeFileSync(join(site, "index.html"), "<h1>A pull request</h1>");
      const bundle = join(world.programFolder, "site.tar.gz");
      create({ file: bundle, cwd: site, gzip: true, sync: true }, ["."]);
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
});
