// Versions of Node.js, the CLI, and the packages that a program loads; project.test.ts has whole examinations.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { packageVersion } from "../../../provider/base/runtime/files/packageText.ts";
import { failure, ok, warning } from "../../../provider/doctor/finding.ts";
import { findProject } from "../../../provider/doctor/pulumiProject.ts";
import { cliFinding, versionFindings } from "../../../provider/doctor/versions.ts";
import { bareHost } from "./host.ts";

const OWN = packageVersion();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "versions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function write(path: string, content: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

test.each([
  ["22.12.0", "ok"],
  ["22.13.0", "ok"],
  ["100.0.0", "ok"],
  ["22.9.0", "failure"],
  ["22.11.9", "failure"],
  ["3.99.99", "failure"],
])("Node.js %s: %s", (nodeVersion, status) => {
  const [node, ...others] = versionFindings(bareHost({ nodeVersion }), undefined);
  expect(node).toMatchObject({ check: "node", status });
  expect(node?.message).toContain(`Node.js ${nodeVersion}`);
  expect(others).toEqual([ok("package", `pulumi-docs-hosting ${OWN}`)]);
});

describe("the Pulumi CLI", () => {
  const INSTALL =
    "Install it, see https://www.pulumi.com/docs/install/. Programs with the Automation API may bring their own.";

  test.each([
    [{ code: 0, stdout: "v3.270.0\n" }, ok("pulumi-cli", "Pulumi CLI 3.270.0")],
    [{ code: 0, stdout: "3.1.0-dev.v2" }, ok("pulumi-cli", "Pulumi CLI 3.1.0-dev.v2")],
    [{}, warning("pulumi-cli", "`pulumi` is not on PATH", INSTALL)],
    [{ code: 3 }, warning("pulumi-cli", "`pulumi version` failed with exit code 3", INSTALL)],
  ])("that ends with %j", async (ended, finding) => {
    const runs: unknown[] = [];
    const host = bareHost({
      run: (command, args) => {
        runs.push([command, ...args]);
        return Promise.resolve({ code: undefined, stdout: "", stderr: "", ...ended });
      },
    });
    expect(await cliFinding(host)).toEqual(finding);
    expect(runs).toEqual([["pulumi", "version"]]);
  });
});

describe("a program in TypeScript", () => {
  const findings = (own: string | undefined, sdk: string | undefined): unknown[] => {
    for (const [name, version] of [
      ["pulumi-docs-hosting", own],
      ["@pulumi/pulumi", sdk],
    ] as const) {
      rmSync(join(folder, "node_modules", name), { recursive: true, force: true });
      if (version !== undefined) write(`node_modules/${name}/package.json`, JSON.stringify({ version }));
    }
    const project = { file: join(folder, "Pulumi.yaml"), program: join(folder, "infra"), runtime: "nodejs" };
    return versionFindings(bareHost(), project).slice(1);
  };

  test("loads the packages of its own folder or of one above", () => {
    expect(findings(OWN, "3.139.0")).toEqual([
      ok("package", `pulumi-docs-hosting ${OWN}`),
      ok("pulumi-sdk", "@pulumi/pulumi 3.139.0"),
    ]);
    write("infra/node_modules/@pulumi/pulumi/package.json", '{"version":"3.200.0"}');
    expect(findings(OWN, "3.1.0")).toContainEqual(ok("pulumi-sdk", "@pulumi/pulumi 3.200.0"));
  });

  test("that loads another version of the package is checked in its own folder", () => {
    expect(findings("0.0.1", "3.139.0")[0]).toEqual(
      warning(
        "package",
        `the program in ${join(folder, "infra")} loads pulumi-docs-hosting 0.0.1, and these checks are those of ${OWN}`,
        "Run the checks in that folder, with `npx pulumi-docs-hosting doctor`.",
      ),
    );
  });

  test("that cannot load a package is told to install it", () => {
    expect(findings(undefined, undefined)).toEqual([
      failure(
        "package",
        `the program in ${join(folder, "infra")} cannot load pulumi-docs-hosting`,
        "Run `npm ci` there if node_modules is gone; otherwise `npm install pulumi-docs-hosting`, or `pnpm add pulumi-docs-hosting`: it must be a " +
          "direct dependency of the program, not only of one of its dependencies or of the root of a pnpm workspace.",
      ),
      failure(
        "pulumi-sdk",
        `the program in ${join(folder, "infra")} cannot load @pulumi/pulumi`,
        "Run `npm install @pulumi/pulumi` there.",
      ),
    ]);
  });

  test.each(["3.138.9", "3.14.0", "4.0.0", "31.39.0"])(
    "with Pulumi's package of version %s fails",
    (version) => {
      expect(findings(OWN, version)[1]).toEqual(
        failure(
          "pulumi-sdk",
          `@pulumi/pulumi ${version} is not supported`,
          "Run `npm install @pulumi/pulumi` there. 3.139.0 or a later 3.x is needed.",
        ),
      );
    },
  );
});

describe("a project", () => {
  test.each([
    ["Pulumi.yaml", "runtime: nodejs\nmain: infra", "nodejs", "infra"],
    ["Pulumi.yml", "runtime:\n  name: python", "python", "."],
    ["Pulumi.json", '{"runtime":"go","main":7}', "go", "."],
    ["Pulumi.yaml", "runtime:\n  options: {}", "", "."],
    ["Pulumi.yaml", "name: docs", "", "."],
    ["Pulumi.yaml", "runtime: [", "", "."],
    ["Pulumi.yaml", "", "", "."],
  ])("in %s with %j has its language and its program's folder", (name, content, runtime, main) => {
    const file = write(name, content);
    expect(findProject(folder)).toEqual({ file, runtime, program: join(folder, main) });
  });

  test("is that of the nearest folder above that has one; Pulumi.yaml comes first", () => {
    write("Pulumi.yml", "runtime: go");
    write("Pulumi.yaml", "runtime: nodejs");
    write("a/b/c/file", "");
    expect(findProject(join(folder, "a/b/c"))).toMatchObject({ runtime: "nodejs", program: folder });
    const own = write("a/b/Pulumi.json", '{"runtime":"dotnet"}');
    expect(findProject(join(folder, "a/b/c"))).toMatchObject({ file: own, runtime: "dotnet" });
    mkdirSync(join(folder, "a/b/c/Pulumi.yaml"));
    expect(findProject(join(folder, "a/b/c"))).toMatchObject({ file: own });
  });

  test("is none where no folder above has one", () => {
    expect(findProject("/")).toBeUndefined();
  });
});
