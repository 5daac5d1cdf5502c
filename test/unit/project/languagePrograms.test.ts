// The programs in Python and YAML in the documents have the names of the plugin's schema: no compiler reads them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import schema from "../../../provider/adapters/plugin/schema.json" with { type: "json" };
import { readDocument, repositoryFiles } from "../../documents.ts";
import { readPython } from "./pythonCalls.ts";
import {
  type Declaration,
  declarationOf,
  FUNCTIONS,
  outputsOf,
  problemsOf,
  RESOURCES,
  snakeCase,
} from "./schemaNames.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const FILES = repositoryFiles();
const DOCUMENTS = FILES.filter((file) => file.endsWith(".md")).map((file) => readDocument(file));

interface Resource {
  readonly type: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Invocation {
  readonly "fn::invoke": {
    readonly function: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
}

interface Program {
  readonly config?: object;
  readonly variables?: Readonly<Record<string, Invocation>>;
  readonly resources: Readonly<Record<string, Resource>>;
}

/** The texts that are programs in Pulumi's YAML; not manifests, workflows and parts of files. */
function programsIn(texts: readonly string[]): Program[] {
  const programs = texts.filter((text) => /^runtime: yaml$/m.test(text) && /^resources:$/m.test(text));
  return programs.map((text) => parse(text) as Program);
}

/** What a program in YAML declares and calls of this package. */
function declaredInYaml({ resources, variables = {} }: Program): Map<string, Declaration> {
  const calls = Object.entries(variables).map(
    ([name, { "fn::invoke": call }]) => [name, { token: call.function, given: call.arguments }] as const,
  );
  const declared = Object.entries(resources).map(
    ([name, { type, properties = {} }]) => [name, { token: type, given: properties }] as const,
  );
  return new Map([...declared, ...calls].filter(([, { token }]) => token.startsWith("docs-hosting:")));
}

const SOURCES = [
  ...DOCUMENTS.map(({ path, python, yaml }) => ({ path, python, yaml: programsIn(yaml) })),
  ...FILES.filter((file) => /^examples\/.*\/__main__\.py$/.test(file)).map((path) => ({
    path,
    python: [read(path)],
    yaml: [],
  })),
  ...FILES.filter((file) => /^examples\/.*\/Pulumi\.yaml$/.test(file)).map((path) => ({
    path,
    python: [],
    yaml: programsIn([read(path)]),
  })),
].filter(({ python, yaml }) => python.length + yaml.length > 0);

/** The references of a program in YAML, such as `docs.jobId` of `${docs.jobId}`. */
const referencesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/\$\{([^}]+)\}/g)].map(([, name = ""]) => name);

describe.each(SOURCES)("$path", ({ python, yaml }) => {
  test("has programs in YAML whose properties are in the schema", () => {
    for (const program of yaml) {
      for (const declaration of declaredInYaml(program).values()) expect(problemsOf(declaration)).toEqual([]);
    }
  });

  test("has programs in YAML whose references lead to something", () => {
    for (const program of yaml) {
      const { config = {}, resources, variables = {} } = program;
      const ours = declaredInYaml(program);
      const wrong = referencesIn(program).filter((reference) => {
        const [name = "", output] = reference.split(".");
        const declaration = ours.get(name);
        if (declaration && output !== undefined) return !outputsOf(declaration).includes(output);
        const isPlaceholder = ["PROJECT", "DESCRIPTION"].includes(name); // of a template
        return !isPlaceholder && ![config, resources, variables].some((part) => Object.hasOwn(part, name));
      });
      expect(wrong).toEqual([]);
    }
  });

  test("has programs in Python whose arguments and attributes are in the schema, in snake case", () => {
    for (const { calls, attributes } of python.map(readPython)) {
      for (const call of calls) expect(problemsOf(declarationOf(call), snakeCase)).toEqual([]);
      const wrong = attributes.filter(({ of, name }) => {
        return !outputsOf(declarationOf(of)).map(snakeCase).includes(name);
      });
      expect(wrong).toEqual([]);
    }
  });
});

test.each(Object.keys(RESOURCES))(
  "the page of %s has a program in TypeScript, Python and YAML, with the same inputs",
  (token) => {
    const resource = token.split(":")[2] ?? "";
    const page = DOCUMENTS.find(
      ({ path }) => path.startsWith("docs/reference/") && read(path).startsWith(`# \`${resource}\`\n`),
    );
    if (!page) throw new Error(`${resource} has no page`);
    expect(page.programs[0]).toContain(`new ${resource}(`);
    const inPython = page.python.slice(0, 1).flatMap((text) => readPython(text).calls.map(declarationOf));
    const inYaml = programsIn(page.yaml)
      .slice(0, 1)
      .flatMap((each) => [...declaredInYaml(each).values()]);
    const names = (declarations: readonly Declaration[], change: (name: string) => string): object =>
      Object.fromEntries(
        declarations.map(({ token: of, given }) => [shortToken(of), Object.keys(given).map(change).sort()]),
      );
    const yamlNames = names(inYaml, snakeCase);
    expect(Object.keys(yamlNames)).toContain(resource);
    expect(names(inPython, (name) => name)).toEqual(yamlNames);
  },
);

const shortToken = (token: string): string => token.split(":").at(-1) ?? "";

test("installationValues has one program in each language of the plugin", () => {
  const page = read("docs/reference/self-hosted-docs.md");
  const languages = [...page.matchAll(/^```(\w+)\n[^`]*?installation_?values/gim)].map(
    ([, language]) => language,
  );
  expect(languages).toEqual(expect.arrayContaining(["python", "yaml", "go", "java", "csharp"]));
  expect(Object.keys(schema.language).sort()).toEqual(["csharp", "go", "java", "nodejs", "python"]);
  expect(Object.keys(FUNCTIONS)).toContain("docs-hosting:index:installationValues");
});

describe("what is wrong is found", () => {
  const properties = { domain: "docs.example.com" };

  test.each<[string, Declaration, string]>([
    [
      "an input",
      { token: "docs-hosting:StaticExport", given: { ...properties, domian: "a" } },
      "StaticExport.domian",
    ],
    ["a missing input", { token: "docs-hosting:StaticExport", given: {} }, "StaticExport.domain is required"],
    [
      "a nested input",
      { token: "docs-hosting:BundleCopy", given: { source: { job: "1" }, destination: {} } },
      "BundleCopy.source.job",
    ],
    [
      "a type",
      { token: "docs-hosting:StaticExport", given: { domain: 7 } },
      "StaticExport.domain is no string",
    ],
    ["a resource", { token: "docs-hosting:Export", given: {} }, "there is no docs-hosting:Export"],
  ])("%s in YAML", (_, declaration, problem) => {
    expect(problemsOf(declaration)).toEqual([expect.stringContaining(problem) as string]);
  });

  test("a name in camel case, and an attribute that no output has, in Python", () => {
    const { calls, attributes } = readPython(
      'job = docs_hosting.AgentJob("a", projectId="p", job_id="j")  # b=c\nx = job.pr_lnk\n',
    );
    expect(calls.map((call) => Object.keys(call.given))).toEqual([["projectId", "job_id"]]);
    expect(calls.flatMap((call) => problemsOf(declarationOf(call), snakeCase)).length).toBe(2);
    expect(attributes.map(({ name }) => name)).toEqual(["pr_lnk"]);
  });
});
