// Examples are separate projects, whose versions only this test keeps up to date.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { repositoryFiles } from "../../documents.ts";

const ROOT = join(import.meta.dirname, "../../..");
const EXAMPLES = readdirSync(join(ROOT, "examples")).filter((name) =>
  existsSync(join(ROOT, "examples", name, "Pulumi.yaml")),
);

const read = (file: string): string => readFileSync(join(ROOT, "examples", file), "utf8");

interface Manifest {
  name: string;
  version: string;
  engines: object;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;
const repository = manifestOf(".");

test("there are five examples to copy", () => {
  expect(EXAMPLES).toEqual(["agent-gate", "air-gapped", "fleet", "quickstart", "self-hosted"]);
});

test.each([...EXAMPLES, "fleet/gitops", "policies", "templates/typescript"])(
  "%s requires this version of the package, and otherwise the versions of the tests",
  (name) => {
    const { engines, dependencies, devDependencies, allowScripts } = manifestOf(`examples/${name}`);
    expect(repository).toMatchObject({ engines, allowScripts });
    const versions = { ...repository.devDependencies, [repository.name]: `^${repository.version}` };
    expect(versions).toMatchObject({ ...dependencies, ...devDependencies });
  },
);

test("the README of examples/languages installs the archive of this version", () => {
  const text = readFileSync(join(ROOT, "examples/languages/README.md"), "utf8");
  const versions = [...text.matchAll(/\bdocs-hosting(?: |@|-v)(\d[\d.]+\d)/g)].map(([, version]) => version);
  expect(versions).toEqual(Array(3).fill(repository.version));
});

describe("a version that looks like a number", () => {
  const TEMPLATES = ["python", "typescript", "yaml"].map((name) => `templates/${name}/Pulumi.yaml`);

  test.each(TEMPLATES)("is not what %s suggests", (file) => {
    const { template } = parse(read(file)) as {
      template: { config: { version: { description: string; default?: unknown } } };
    };
    const { description, ...others } = template.config.version;
    expect(description).toMatch(/such as v1 or commit-[0-9a-f]{7}/);
    expect(others).toEqual({});
  });

  test("is the result of no command in a document: a short commit has a prefix", () => {
    const lines = repositoryFiles()
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) => readFileSync(join(ROOT, file), "utf8").split("\n"))
      .filter((line) => line.includes("rev-parse --short"));
    expect(lines.length).toBeGreaterThan(1);
    const command = /"commit-\$\(git (?:-C \S+ )?rev-parse --short HEAD\)"/;
    expect(lines.filter((line) => !command.test(line))).toEqual([]);
  });
});

test("the imports of the program in Go are sorted, as gofmt writes them", () => {
  const [, block = ""] = /^import \(\n([^)]*)\)/m.exec(read("languages/go/main.go")) ?? [];
  const imports = block.split("\n").slice(0, -1);
  expect(imports.length).toBeGreaterThan(2);
  expect(imports).toEqual([...imports].sort());
});
