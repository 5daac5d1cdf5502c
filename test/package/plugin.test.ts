// The folder `plugin/` of the packed package, from which Pulumi starts the native plugin.
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makesEverything } from "../archives/everyPart.ts";
import { startPlugin } from "../archives/pluginProcess.ts";
import { shortened } from "../suites.ts";
import { install, layouts } from "./layouts.ts";
import { packedPackage, programDependencies } from "./packedPackage.ts";

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};
const LAUNCHER = "pulumi-resource-docs-hosting";
const ENGINE_ADDRESS = "127.0.0.1:1";

const packed = packedPackage();
/** The Node.js that runs the tests, and what the launcher takes of the system. */
let path: string;
/** The folder without anything around it: no package, no node_modules. */
let alone: string;
beforeAll(async () => {
  path = [dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  await run("tar", ["-xzf", packed.tarball, "-C", packed.folder]);
  alone = join(packed.folder, "alone");
  cpSync(join(packed.folder, "package/plugin"), alone, { recursive: true });
});

describe.each(shortened(layouts.filter(({ name }) => ["npm", "pnpm"].includes(name))))(
  "installed by $name",
  (layout) => {
    test("the folder has the plugin of this version", async () => {
      const project = mkdtempSync(join(packed.folder, "plugin-"));
      const dependencies = programDependencies(packed.tarball);
      await install(layout, project, { source: "", dependencies }, packed.shared);
      const folder = join(project, layout.program, "node_modules/pulumi-docs-hosting/plugin");
      const plugin = await startPlugin(join(folder, LAUNCHER), [ENGINE_ADDRESS], { PATH: path });
      onTestFinished(() => plugin.stop());
      expect(await plugin.version()).toBe(version);
      const schema = JSON.parse(readFileSync(join(folder, "schema.json"), "utf8")) as object;
      expect(await plugin.schema()).toEqual(schema);
      expect(schema).toMatchObject({ name: "docs-hosting", version });
    });
  },
);

test("the folder contains all that the plugin loads: a thread, the search box, the texts of a kit, the AWS SDK", async () => {
  const folder = mkdtempSync(join(packed.folder, "made-"));
  const aws = { AWS_ACCESS_KEY_ID: "AKTEST", AWS_SECRET_ACCESS_KEY: "secret" };
  const env = { ...packed.env, ...aws, PATH: path, HOME: folder, PULUMI_HOME: join(folder, "home") };
  const plugin = await startPlugin(join(alone, LAUNCHER), [ENGINE_ADDRESS], env);
  onTestFinished(() => plugin.stop());
  await makesEverything(plugin, folder);
});

test("the licences of all packages in the bundle are beside it", () => {
  const licences = readFileSync(join(alone, "LICENSES.txt"), "utf8");
  for (const name of [
    "@aws-sdk/client-s3",
    "@google-cloud/storage",
    "@grpc/grpc-js",
    "@pulumi/pulumi",
    "data-uri-to-buffer",
    "node-fetch",
  ]) {
    expect(licences).toMatch(new RegExp(`^${name} \\d[\\d.]* \\(.+\\)$`, "m"));
  }
  expect(licences).toContain("Copyright (c) 2014 Nathan Rajlich"); // a text that a package has only in its README
});

describe("where the plugin cannot run, one line says why", () => {
  test("there is no Node.js", async () => {
    const bin = mkdtempSync(join(packed.folder, "no-node-"));
    const started = startPlugin(join(alone, LAUNCHER), [ENGINE_ADDRESS], { PATH: bin });
    await expect(started).rejects.toThrow(
      /^pulumi-docs-hosting needs Node\.js 22\.12 or later; there is no node on PATH\n$/,
    );
  });

  test.each(["22.11.0", "20.20.2", "8.17.0"])("Node.js is of version %s", async (old) => {
    const says = join(packed.folder, `node-${old}.cjs`);
    writeFileSync(says, `Object.defineProperty(process, "versions", { value: { node: "${old}" } });`);
    const env = { PATH: path, NODE_OPTIONS: `--require ${says}` };
    const started = startPlugin(join(alone, LAUNCHER), [ENGINE_ADDRESS], env);
    await expect(started).rejects.toThrow(
      `pulumi-docs-hosting needs Node.js 22.12 or later; this is v${old}\n`,
    );
  });
});

test("a link to the launcher starts the plugin, from a folder that is on PATH", async () => {
  const bin = join(packed.folder, "bin");
  mkdirSync(bin);
  symlinkSync(join(alone, LAUNCHER), join(bin, LAUNCHER));
  expect(existsSync(join(bin, "index.js"))).toBe(false);
  const plugin = await startPlugin(join(bin, LAUNCHER), [ENGINE_ADDRESS], { PATH: path });
  onTestFinished(() => plugin.stop());
  expect(await plugin.version()).toBe(version);
});
