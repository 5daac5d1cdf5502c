import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { MODULES, RUN_BY_BROWSERS } from "../../mutations/modules.ts";

const ROOT = join(import.meta.dirname, "../../..");
const ENTRIES = ["provider/command.ts", "provider/dynamic.ts", "provider/plugin.ts"];
const FILES = globSync("{provider,sdk}/**/*.ts", { cwd: ROOT });

/** Files that a file imports, types included. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => relative(ROOT, join(ROOT, dirname(file), fileName)))
    .filter((path) => !path.endsWith(".json"))
    .map((path) => path.replace(/(\.js)?$/, ".ts"));
}

test("no file of provider/ and sdk/ imports itself through others", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" → "));
    if (way.includes(file) || done.has(file)) return;
    for (const next of importsOf(file)) follow(next, [...way, file]);
    done.add(file);
  };
  for (const file of FILES) follow(file, []);
  expect(circles).toEqual([]);
  expect(done).toEqual(new Set(FILES)); // every import was found
});

test("each module of the code has unit tests in the folder of its name, and each pattern of its tests finds one", () => {
  expect([...MODULES.values()].flatMap(({ files }) => files)).toHaveLength(
    FILES.filter((file) => !ENTRIES.includes(file) && !RUN_BY_BROWSERS.has(file)).length,
  );
  const missing = [...MODULES.values()]
    .flatMap(({ tests }) => tests)
    .filter((pattern) => globSync(`${pattern}.test.ts`, { cwd: join(ROOT, "test") }).length === 0);
  expect(missing).toEqual([]);
});
