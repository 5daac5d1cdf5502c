// The programs in the documents for users, against the published types.
import { execFile } from "node:child_process";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, test } from "vitest";
import * as dynamic from "../../provider/dynamic.ts";
import { readDocument } from "../documents.ts";

const ROOT = join(import.meta.dirname, "../..");
const DOCUMENTS = [
  "README.md",
  ...globSync("docs/**/*.md", { cwd: ROOT }),
  "examples/agent-gate/README.md",
  "examples/air-gapped/README.md",
  "examples/fleet/README.md",
  "examples/self-hosted/README.md",
];

/** Declarations that a part of a program gets from the rest of it. */
const REST = {
  "@pulumi/kubernetes": "* as kubernetes",
  "@pulumi/pulumi": "* as pulumi",
  "pulumi-docs-hosting": "{ AgentJob, StaticExport, staticExportValues }",
  "pulumi-docs-hosting/kubernetes": "{ SelfHostedDocs }",
};
const GIVEN = `docs: import("pulumi-docs-hosting").StaticExport, projectId: string, id: string, domain: string`;

/** A module of its own: names that the program does not import or declare come from the rest. */
function wholeProgram(part: string): string {
  const lines = part.split("\n");
  const own = lines.filter((line) => line.startsWith("import "));
  const rest = Object.entries(REST)
    .filter(([name]) => !own.some((line) => line.includes(`from "${name}"`)))
    .map(([name, names]) => `import ${names} from "${name}";`);
  const body = lines.filter((line) => !own.includes(line)).map((line) => line.replace(/^export /, ""));
  return [...own, ...rest, `export async function program(${GIVEN}) {{`, ...body, "}}"].join("\n");
}

test("every output of a resource has a type of Pulumi's and a description where a program names it", () => {
  const program = ts.createProgram([join(ROOT, "sdk/index.ts")], {
    module: ts.ModuleKind.Node16,
    strict: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(join(ROOT, "sdk/index.ts"));
  const exported = source && checker.getSymbolAtLocation(source);
  const classes = new Map(exported && checker.getExportsOfModule(exported).map((each) => [each.name, each]));
  const outputs = Object.keys(dynamic).flatMap((name) => {
    const alias = classes.get(name);
    if (!alias) throw new Error(`there is no ${name}`);
    return checker
      .getDeclaredTypeOfSymbol(checker.getAliasedSymbol(alias))
      .getProperties()
      .filter((property) => !/^(urn|id|getProvider|__.*)$/.test(property.name))
      .map((property) => ({
        name: `${name}.${property.name}`,
        type: checker.typeToString(checker.getTypeOfSymbol(property)),
        about: ts.displayPartsToString(property.getDocumentationComment(checker)),
      }));
  });
  expect(outputs.length).toBeGreaterThan(40);
  expect(outputs.filter(({ type, about }) => !/^(pulumi\.)?Output/.test(type) || about === "")).toEqual([]);
});

test("every program in README and the other documents compiles", async ({ onTestFinished }) => {
  mkdirSync(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/documents-")); // in the package, which resolves its own name
  onTestFinished(() => rm(folder, { recursive: true }));
  const programs = DOCUMENTS.flatMap((path) =>
    readDocument(path).programs.map((part, index) => ({
      name: `${path.replaceAll("/", "-")}-${index + 1}.ts`,
      text: wholeProgram(part),
    })),
  );
  expect(programs.length).toBeGreaterThan(15);
  for (const { name, text } of programs) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    noEmit: true,
    rootDir: ROOT,
    isolatedDeclarations: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"] }),
  );
  const { stdout } = await promisify(execFile)("tsc", ["-p", folder]).catch((error: unknown) => ({
    stdout: (error as { stdout: string }).stdout,
  }));
  expect(stdout).toBe("");
});
