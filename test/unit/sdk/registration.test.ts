// What the classes check before they register anything.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentJob, AirGapKit, BundleCopy, StaticExport } from "../../../sdk/index.ts";
import { runsInCli, runsInComponentPackage } from "../../../sdk/pulumiSdk.ts";
import { checkPackageIsFound, refuseComponentPackage } from "../../../sdk/registration.ts";
import { settled, startProgram } from "../../simulation/pulumiProgram.ts";

const source = { domain: "docs.example.com", jobId: "7f3a" };
type Declared = (opts: pulumi.CustomResourceOptions) => pulumi.Resource;
const CLASSES: [string, Declared, RegExp][] = [
  [
    "StaticExport",
    (opts) => new StaticExport("docs", { domain: "docs.example.com" }, opts),
    /set the input `jobId`/,
  ],
  [
    "AgentJob",
    (opts) => new AgentJob("docs", { projectId: "p", id: "a" }, opts),
    /pulumi import docs-hosting:index:AgentJob/,
  ],
  [
    "BundleCopy",
    (opts) => new BundleCopy("docs", { source, destination: { folder: "copies" } }, opts),
    /uploads nothing/,
  ],
  [
    "AirGapKit",
    (opts) => new AirGapKit("docs", { source, folder: "kits" }, opts),
    /A kit cannot be imported/,
  ],
];

describe.each(CLASSES)("the option `import` on %s", (kind, declare, remedy) => {
  test("is refused with the way out, before anything is registered", async () => {
    const registered = await startProgram();
    const refused = (): unknown => declare({ import: "docs.example.com/7f3a" });
    expect(refused).toThrow(pulumi.RunError);
    expect(refused).toThrow(`${kind} "docs": the resource option \`import\` does not work with the classes`);
    expect(refused).toThrow(remedy);
    await settled();
    expect(registered).toEqual([]);
  });

  test("is no problem where it has no value", async () => {
    const registered = await startProgram();
    declare({ import: undefined as unknown as string });
    declare({ import: "" });
    await settled();
    expect(registered).toHaveLength(2);
  });
});

describe("the package", () => {
  function folderOf(...files: string[]): string {
    const root = mkdtempSync(join(tmpdir(), "program-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const file of files) {
      mkdirSync(join(root, file, ".."), { recursive: true });
      writeFileSync(join(root, file), file.endsWith("package.json") ? MANIFEST : "");
    }
    return root;
  }
  const MANIFEST = JSON.stringify({
    name: "pulumi-docs-hosting",
    exports: { "./dynamic": "./dynamic.js", "./package.json": "./package.json" },
  });
  const installedAt = (folder: string): string[] =>
    ["package.json", "dynamic.js"].map((file) => join(folder, "pulumi-docs-hosting", file));

  test("that only a dependency of the program has is refused with the remedy", () => {
    const root = folderOf(...installedAt("app/node_modules/platform/node_modules"));
    const program = join(root, "app");
    const check = (): void => checkPackageIsFound(program, true);
    expect(check).toThrow(pulumi.RunError);
    expect(check).toThrow(`cannot be loaded from ${program}, the folder of the program (MODULE_NOT_FOUND)`);
    expect(check).toThrow(/must be a direct dependency of the program, .*`pnpm add pulumi-docs-hosting`/);
  });

  test("is found beside the program, above it, and behind a link of pnpm", () => {
    const root = folderOf(...installedAt("node_modules"), "below/app/index.ts");
    checkPackageIsFound(root, true);
    checkPackageIsFound(join(root, "below/app"), true);
    const store = folderOf(...installedAt(".pnpm/x/node_modules"), "app/node_modules/other");
    symlinkSync(
      join(store, ".pnpm/x/node_modules/pulumi-docs-hosting"),
      join(store, "app/node_modules/pulumi-docs-hosting"),
      "dir",
    );
    checkPackageIsFound(join(store, "app"), true);
  });

  test("whose file for the provider is missing is refused", () => {
    const [manifest = ""] = installedAt("node_modules");
    expect(() => checkPackageIsFound(folderOf(manifest), true)).toThrow("(MODULE_NOT_FOUND)");
  });

  test("is not looked for outside of the CLI: the provider's folder is not known there", () => {
    checkPackageIsFound(folderOf("index.ts"), false);
    checkPackageIsFound(folderOf("index.ts"));
  });
});

test.each([
  ["/app/node_modules/@pulumi/pulumi/cmd/run", true],
  ["/app/node_modules/@pulumi/pulumi/cmd/run/index.js", true],
  ["/app/node_modules/.pnpm/@pulumi+pulumi@3.270.0/node_modules/@pulumi/pulumi/cmd/run/index.js", true],
  ["C:\\app\\node_modules\\@pulumi\\pulumi\\cmd\\run\\index.js", true],
  ["/app/node_modules/@pulumi/pulumi/cmd/run-policy-pack/index.js", false],
  ["/app/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", false],
  ["/app/node_modules/vitest/vitest.mjs", false],
  ["/app/deploy.js", false],
])("a process that runs %s runs a program for the CLI: %s", (file, expected) => {
  expect(runsInCli(file)).toBe(expected);
});

test.each([
  ["/x/node_modules/@pulumi/pulumi/cmd/run-plugin", true],
  ["C:\\x\\@pulumi\\pulumi\\cmd\\run-plugin\\index.js", true],
  ["/x/node_modules/@pulumi/pulumi/cmd/run", false],
  ["/x/run-plugin/index.js", false],
  [undefined, false],
])("F7 a process that runs %s is a component package: %s", (file, expected) => {
  expect(runsInComponentPackage(file ?? "")).toBe(expected);
});

test("F7 a class in a component package is refused in one message, which names the plugin", () => {
  expect(() => refuseComponentPackage("StaticExport", "docs", true)).toThrow(
    /^StaticExport "docs": .* do not work in a component package.*pulumi package add .*\/plugin/,
  );
  expect(() => refuseComponentPackage("StaticExport", "docs", false)).not.toThrow();
});

test("F11 where the configuration has the base URL as a secret, a resource without one registers a secret without a value", async () => {
  const registered = await startProgram();
  pulumi.runtime.setAllConfig({ "docs-hosting:baseUrl": "https://hidden.test" }, ["docs-hosting:baseUrl"]);
  onTestFinished(() => pulumi.runtime.setAllConfig({}));
  new StaticExport("docs", { domain: "docs.example.com" });
  new StaticExport("given", { domain: "docs.example.com", baseUrl: "https://given.test" });
  new BundleCopy("copy", { source, destination: { folder: "./x" } });
  await settled();
  const inputs = Object.fromEntries(registered.map((each) => [each.name, each.inputs]));
  const secret = (value: unknown): object => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  });
  expect(inputs["docs"]).toHaveProperty("baseUrl", secret(null));
  expect(inputs["given"]).toHaveProperty("baseUrl", "https://given.test");
  expect(inputs["copy"]).toHaveProperty("source", secret({ ...source, baseUrl: null }));
  expect(inputs["copy"]).not.toHaveProperty("baseUrl");
});
