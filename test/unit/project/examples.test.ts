// Examples are separate projects, whose versions only this test keeps up to date.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const EXAMPLES = readdirSync(join(ROOT, "examples")).filter((name) =>
  existsSync(join(ROOT, "examples", name, "Pulumi.yaml")),
);

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
