// The entry `./kubernetes` of the packed tarball, whose peer @pulumi/kubernetes may be missing.
import { execFile } from "node:child_process";
import { renameSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { install, layouts } from "./layouts.ts";
import { packedPackage, programDependencies, versionsOf } from "./packedPackage.ts";

const run = promisify(execFile);
const packed = packedPackage();

describe.each(layouts.filter(({ name }) => name === "npm" || name === "pnpm"))("by $name", (layout) => {
  let project: string;
  beforeAll(async () => {
    project = await mkdtemp(join(packed.folder, "project-"));
    const dependencies = {
      ...programDependencies(packed.tarball),
      ...versionsOf("@pulumi/kubernetes"),
    };
    await install(layout, project, { source: "", dependencies }, packed.shared);
  });

  /** The output of a script in the program's folder, as JSON. */
  async function printed(script: string, type: "commonjs" | "module" = "commonjs"): Promise<unknown> {
    const { stdout } = await run("node", [`--input-type=${type}`, "--eval", script], { cwd: project });
    return JSON.parse(stdout);
  }

  test("SelfHostedDocs is found by require and by import", async () => {
    const names =
      "console.log(JSON.stringify([SelfHostedDocs.name, featureSupport('search', 'air-gapped')]))";
    const from = '"pulumi-docs-hosting/kubernetes"';
    const expected = ["SelfHostedDocs", "unavailable"];
    expect(await printed(`const { SelfHostedDocs, featureSupport } = require(${from}); ${names}`)).toEqual(
      expected,
    );
    expect(
      await printed(`import { SelfHostedDocs, featureSupport } from ${from}; ${names}`, "module"),
    ).toEqual(expected);
  });

  test("the root entry does not load @pulumi/kubernetes, the other one does", async () => {
    const loaded = (entry: string): Promise<unknown> =>
      printed(
        `require("${entry}");
         const isKubernetes = (file) => /node_modules.@pulumi.kubernetes./.test(file);
         console.log(Object.keys(require.cache).some(isKubernetes))`,
      );
    expect(await loaded("pulumi-docs-hosting")).toBe(false);
    expect(await loaded("pulumi-docs-hosting/kubernetes")).toBe(true);
  });

  if (layout.name !== "npm") return; // the message about a missing package does not depend on the layout
  test("without @pulumi/kubernetes it says what to install", async () => {
    const found = join(project, "node_modules/@pulumi/kubernetes");
    renameSync(found, `${found}-away`);
    const message = `try { require("pulumi-docs-hosting/kubernetes") } catch (error) { console.log(JSON.stringify(error.message)) }`;
    expect(await printed(message)).toBe(
      'pulumi-docs-hosting/kubernetes needs the package "@pulumi/kubernetes": run `npm install @pulumi/kubernetes`.',
    );
    expect(
      await printed(`console.log(typeof require("pulumi-docs-hosting").StaticExport === "function")`),
    ).toBe(true);
  });
});
