// The packed tarball, installed in a program outside the repository, as a user installs it.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReferenceService, type ReferenceService } from "../../examples/reference-service/index.ts";
import { openStack } from "../engine/index.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const KEY = "svc_package-test";

const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
import { StaticExport, staticExportValues } from "pulumi-docs-hosting";

const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
export const pages: pulumi.Output<number | undefined> = docs.pageCount;
export const version: pulumi.Output<string> = staticExportValues(docs).staticExport.version;
`;

let folder: string;
let tarball: string;
let service: ReferenceService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "package-test-"));
  mkdirSync(join(folder, "site"));
  writeFileSync(join(folder, "site/index.md"), "# Welcome\n");
  // without scripts: npm test has built dist/ already, and other tests are using it
  const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  tarball = join(folder, filename);
  service = await startReferenceService({
    sites: { "docs.example.com": join(folder, "site") },
    adminApiKey: KEY,
  });
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

test("the tarball holds built files and the papers, nothing else", async () => {
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const others = stdout
    .trim()
    .split("\n")
    .filter((file) => !/^package\/dist\/(sdk|provider)\/\w+\.(js|d\.ts)$/.test(file));
  expect(others.sort()).toEqual(
    ["CHANGELOG.md", "LICENSE", "README.md", "package.json"].map((file) => `package/${file}`),
  );
});

describe.each([
  ["npm's layout", ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"]],
  [
    "pnpm's strict layout",
    ["pnpm", "install", "--prefer-offline", "--ignore-scripts", "--no-frozen-lockfile"],
  ],
])("installed in %s", (layout, [command = "", ...args]) => {
  test("a TypeScript program creates an export and destroys it", async () => {
    const program = await mkdtemp(join(folder, "program-"));
    const { devDependencies: versions } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      devDependencies: Record<string, string>;
    };
    const dependencies = {
      "pulumi-docs-hosting": `file:${tarball}`,
      "@pulumi/pulumi": versions["@pulumi/pulumi"],
      "@types/node": versions["@types/node"],
      typescript: versions["typescript"],
    };
    writeFileSync(
      join(program, "package.json"),
      JSON.stringify({ name: "user", private: true, dependencies }),
    );
    writeFileSync(join(program, "index.ts"), PROGRAM);
    await run(command, args, { cwd: program, env: { ...process.env, CI: "true" } });

    const stack = await openStack("local", {
      program: join(program, "index.ts"),
      project: "user",
      stack: "dev",
      stateFolder: join(program, "state"),
      passphrase: "scratch",
      env: { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY },
    });
    const up = await stack.up();
    expect(up.error, layout).toBeUndefined();
    expect(up.outputs).toMatchObject({ pages: { value: 1 }, version: { value: "v1" } });
    const destroy = await stack.destroy();
    expect(destroy.error, layout).toBeUndefined();
    expect(await stack.exportState()).toEqual([]);
  });
});
