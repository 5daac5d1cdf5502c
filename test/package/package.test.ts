// The packed tarball, installed in a program outside the repository, as a user installs it.
import { execFile } from "node:child_process";
import { realpathSync, renameSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { readDocument } from "../documents.ts";
import { availableEngines, openStack, type Stack } from "../engine/index.ts";
import { findCommand } from "../programs/commands.ts";
import { startsOf } from "../stack/requests.ts";
import { shortened } from "../suites.ts";
import { install, layouts } from "./layouts.ts";
import { packedPackage, programDependencies } from "./packedPackage.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
import { AgentJob, getAgentJobOutput, StaticExport, staticExportValues } from "pulumi-docs-hosting";

const job = new AgentJob("agent", { projectId: "p1", id: "a1" });
const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
export const pages: pulumi.Output<number | undefined> = docs.pageCount;
export const version: pulumi.Output<string> = staticExportValues(docs).staticExport.version;
export const prLink: pulumi.Output<string | null> = job.prLink;
export const model: pulumi.Output<string> = getAgentJobOutput({ projectId: "p1", id: "a1" }).model;
`;

const packed = packedPackage();

describe("the tarball", () => {
  let files: string[];
  beforeAll(async () => {
    await run("tar", ["-xzf", packed.tarball, "-C", packed.folder]);
    const { stdout } = await run("tar", ["-tzf", packed.tarball]);
    files = stdout
      .trim()
      .split("\n")
      .map((file) => file.replace("package/", ""));
  });

  test("holds built files, the plugin, the documents for users and the examples that these describe, nothing else", () => {
    const others = files.filter(
      (file) =>
        !/^dist\/((sdk|provider)\/[\w/]+\.(js|json|d\.ts)|provider\/publishing\/search\/browser\/\w+\.(css|html|svg))$/.test(
          file,
        ),
    );
    expect(
      others
        .filter(
          (file) =>
            !/^docs\/[\w/-]+\.(md|png|svg)$/i.test(file) &&
            !/^examples\/(agent-gate|air-gapped|fleet|languages|policies|promotion|quickstart|self-hosted|templates)\//.test(
              file,
            ),
        )
        .sort(),
    ).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "package.json",
      "plugin/LICENSES.txt",
      "plugin/PulumiPlugin.yaml",
      "plugin/index.js",
      "plugin/package.json",
      "plugin/plugin.js",
      "plugin/pulumi-resource-docs-hosting",
      "plugin/pulumi-resource-docs-hosting.cmd",
      "plugin/schema.json",
      "provider/doctor/help.txt",
      "provider/kits/contents/manifest.schema.json",
      "provider/kits/scripts/README.template.md",
      "provider/kits/scripts/install.sh",
      "provider/kits/scripts/load.sh",
      "provider/kits/scripts/verify.sh",
      "provider/publishing/images/siteImage/server.conf",
      "provider/publishing/search/languages/endings.txt",
      "provider/publishing/search/languages/interface.txt",
      "provider/publishing/search/languages/stopWords.txt",
      "provider/publishing/search/languages/synonyms.txt",
      "provider/service/README.md",
    ]);
  });

  test("has the targets of its documents' links, except of those for readers who have the repository", () => {
    const missing = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) =>
        readDocument(file, join(packed.folder, "package"))
          .links.map((link) => join(dirname(file), link.split("#")[0] ?? ""))
          .filter(
            (path) =>
              path !== dirname(file) &&
              !files.some((other) => `${other}/`.startsWith(`${path.replace(/\/$/, "")}/`)),
          ),
      );
    expect([...new Set(missing)].sort()).toEqual([
      "CONTRIBUTING.md",
      "examples/reference-service/README.md",
      "test/bench/README.md",
    ]);
  });
});

test("a Node.js that cannot require ES modules gets a message with the required version, before it fails at one", async () => {
  const args = ["--no-experimental-require-module", "--eval", 'require("pulumi-docs-hosting/dynamic")'];
  const started = run(process.execPath, args, { cwd: ROOT });
  await expect(started).rejects.toThrow("pulumi-docs-hosting needs Node.js 22.12 or later");
});

const { kinds, skipped } = availableEngines();
if (skipped !== undefined) console.log(`packages: ${skipped}`);

describe.each(shortened(layouts))("L23 a TypeScript program installed by $name", (layout) => {
  const [command = ""] = layout.command;
  const isMissing = layout.isOptional === true && findCommand(command) === undefined;
  let project: string;
  beforeAll(async () => {
    if (isMissing) return;
    project = await mkdtemp(join(packed.folder, "project-"));
    const dependencies = programDependencies(packed.tarball);
    await install(layout, project, { source: PROGRAM, dependencies }, packed.shared);
  });

  test("finds the package at its path in this layout", (context) => {
    context.skip(isMissing, `there is no ${command} on PATH`);
    const found = createRequire(join(project, layout.program, "_")).resolve("pulumi-docs-hosting");
    expect(relative(realpathSync(project), realpathSync(found))).toMatch(layout.packagePath);
  });

  test.for(kinds)(
    "up, refresh and destroy work, also after the project was moved (%s)",
    async (kind, context) => {
      context.skip(isMissing, `there is no ${command} on PATH`);
      const open = (): Promise<Stack> =>
        openStack(kind, {
          program: join(project, layout.program, "index.ts"),
          project: "user",
          stack: "dev",
          stateFolder: join(packed.folder, `state of ${layout.name} on ${kind}`),
          passphrase: "scratch",
          env: packed.env,
        });
      const jobs = () => startsOf(packed.service.requests).length;
      const before = jobs();

      let stack = await open();
      const up = await stack.up();
      expect(up.error).toBeUndefined();
      expect(up.outputs).toMatchObject({
        pages: { value: 1 },
        version: { value: "v1" },
        prLink: { value: null },
        model: { value: "model-7" },
      });

      const moved = `${project}-moved`;
      renameSync(project, moved);
      project = moved;
      stack = await open();
      for (const result of [await stack.refresh(), await stack.up()]) {
        expect(result.error).toBeUndefined();
        expect(result.summary).toEqual({ same: 3 });
      }
      const destroy = await stack.destroy();
      expect(destroy.error).toBeUndefined();
      expect(await stack.exportState()).toEqual([]);
      expect(jobs() - before).toBe(1);
    },
  );
});
