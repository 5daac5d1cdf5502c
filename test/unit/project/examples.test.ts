// Examples are projects of their own, whose versions nothing but this keeps up to date.
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

test.each([...EXAMPLES, "fleet/gitops"])(
  "%s asks for this version of the package, and beside it for what the tests have",
  (name) => {
    const { engines, dependencies, devDependencies, allowScripts } = manifestOf(`examples/${name}`);
    expect(repository).toMatchObject({ engines, allowScripts });
    const versions = { ...repository.devDependencies, [repository.name]: `^${repository.version}` };
    expect(versions).toMatchObject({ ...dependencies, ...devDependencies });
  },
);
