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

const LOADED = new Map<string, string[]>();

/** Files that a file loads itself: what it imports not only as types. */
function loadedBy(file: string): string[] {
  const known = LOADED.get(file);
  if (known) return known;
  // type imports are not compiled, and `import()` stays one
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), "utf8"), {
    compilerOptions: { module: ts.ModuleKind.Node16, target: ts.ScriptTarget.ESNext },
  });
  const loaded = [...outputText.matchAll(/require\("(\.[^"]+)"\)/g)]
    .map(([, path = ""]) => path)
    .filter((path) => !path.endsWith(".json"))
    .map((path) => relative(ROOT, join(ROOT, dirname(file), `${path}.ts`)));
  LOADED.set(file, loaded);
  return loaded;
}

/** Files that are loaded with a file: by it, and by those. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    loadedBy(file).forEach(load);
  };
  load(entry);
  return loaded;
}

/** What a process must not load before a resource needs it: it would start later, and hold tens of megabytes. */
test.each([
  [
    "a stack of exports",
    "provider/dynamic.ts",
    /^provider\/(?:publishing|kits|installation|doctor|copies\/(?!publication\/))/,
  ],
  [
    "a program",
    "sdk/index.ts",
    /^provider\/(?:publishing|copies\/publication|kits\/airGapKit\/(?!outputs)|doctor|service\/client|base\/http)/,
  ],
  [
    "a program that installs a site",
    "sdk/kubernetes/index.ts",
    /^provider\/(?:publishing|copies\/(?!source\/fileDigest)|doctor|service|base\/http)/,
  ],
])("%s loads nothing that publishes a bundle", (_, entry, closed) => {
  const loaded = [...loadedWith(entry)];
  expect(loaded.length).toBeGreaterThan(20); // the imports were found
  expect(loaded.filter((file) => closed.test(file))).toEqual([]);
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

test("each name that the index of publishing offers is used outside of it", () => {
  const namesIn = (file: string, ofIndex: RegExp): string[] =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(ofIndex)].flatMap(([, names = ""]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .filter((name) => name !== ""),
    );
  const offered = namesIn("provider/publishing/index.ts", /export (?:type )?\{([^}]*)\}/g);
  const used = FILES.flatMap((file) =>
    namesIn(file, /(?:im|ex)port (?:type )?\{([^}]*)\} from "[^"]*publishing\/index"/g),
  );
  expect(offered.length).toBeGreaterThan(20); // the exports were found
  expect(offered.filter((name) => !used.includes(name))).toEqual([]);
});

/** What a program, the provider and the service call by one name: a resource, and what it is about. */
const RESOURCES = new Set(["AgentJob", "AirGapKit", "BundleCopy", "StaticExport"]);

test.each([
  ["type", /^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm],
  ["exported name", /^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm],
])("no %s of provider/ and sdk/ means two things", (_, names) => {
  const files = new Map<string, string[]>();
  for (const file of FILES) {
    const source = readFileSync(join(ROOT, file), "utf8");
    for (const name of new Set([...source.matchAll(names)].map(([, found = ""]) => found))) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  expect(files.size).toBeGreaterThan(300); // the names were found
  const twice = [...files].filter(([name, those]) => those.length > 1 && !RESOURCES.has(name));
  expect(Object.fromEntries(twice)).toEqual({});
});

/** The names that files import, each as "provider/a.ts name"; also of what is loaded when it is needed: `await import("./run.js")`. */
function namesImportedBy(pattern: string): Set<string> {
  const imported = new Set<string>();
  const readers = globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes("node_modules") });
  for (const file of readers) {
    const source = readFileSync(join(ROOT, file), "utf8");
    for (const [, names = "", from = ""] of source.matchAll(
      /\{([^{}]*)\}(?: from |\s*=\s*await import\(| = require\()\s*"(\.[^"]+)"/g,
    )) {
      const path = relative(ROOT, join(ROOT, dirname(file), from))
        .replace(/^dist\//, "")
        .replace(/(\.[jt]s)?$/, ".ts");
      for (const name of names.split(",")) {
        const [own = ""] = name
          .trim()
          .replace(/^type /, "")
          .split(/ as |: /);
        imported.add(`${path} ${own}`);
      }
    }
  }
  // the dynamic provider's entry loads a life cycle with the first call that needs it
  const entry = readFileSync(join(ROOT, "provider/dynamic.ts"), "utf8");
  for (const [, path = "", name = ""] of entry.matchAll(/load\("\.\/(.+?)\.js"\) as typeof \w+\)\.(\w+)/g)) {
    imported.add(`provider/${path}.ts ${name}`);
  }
  return imported;
}

/** What files export, without the entries, which are loaded by their paths. */
function exportedNames(declared: RegExp, files = FILES): string[] {
  return files
    .filter((file) => !ENTRIES.includes(file))
    .flatMap((file) => {
      const source = readFileSync(join(ROOT, file), "utf8");
      return [...source.matchAll(declared)].map(([, name = ""]) => `${file} ${name}`);
    });
}

/** Values that only tests import, and why. Nothing is added without a reason: test by what the product uses. */
const TESTED_ALONE: Readonly<Record<string, string>> = {
  "provider/adapters/dynamic/dynamicHost.ts sendLine": "the test gives the rows a clock of its own",
  "provider/adapters/session/nodeVersion.ts canRequireModules": "the file judges the Node.js that loads it",
  "provider/adapters/session/nodeVersion.ts requireNode": "the same",
  "provider/installation/featureTable.ts featureTitle": "docstrings are compared with the table",
  "provider/publishing/externalAssets/trackers.ts TRACKERS": "the documentation is compared with the list",
  "provider/publishing/search/browser/match.ts distance": "it is compared with one that has no bound",
  "provider/resource/resumeRecords.ts RECORD_LIFE_MS": "records in memory are valid as long as those on disk",
  "provider/staticExport/state.ts finishedState": "a simulated fleet has states without requests",
};

test("nothing is exported for tests alone, without a reason", () => {
  const imported = namesImportedBy("{provider,sdk,examples,.ci}/**/*.{ts,mjs}");
  const exported = exportedNames(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm);
  expect(exported.length).toBeGreaterThan(500); // the exports were found
  expect(exported.filter((each) => !imported.has(each)).sort()).toEqual(Object.keys(TESTED_ALONE).sort());
});

test("no type of provider/ is exported for nobody", () => {
  const imported = namesImportedBy("{provider,sdk,examples,test,.ci}/**/*.{ts,mjs}");
  const exported = exportedNames(
    /^export (?:interface|type) (\w+)/gm,
    // the minifier names what is in the search box by the letters of its sources: with others, each copy has other bytes
    FILES.filter(
      (file) => file.startsWith("provider/") && !file.startsWith("provider/publishing/search/browser/"),
    ),
  );
  expect(exported.length).toBeGreaterThan(200);
  // the schema reads some by their names
  const schema = globSync(".ci/schema/*.ts", { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), "utf8"),
  );
  const isRead = (each: string): boolean =>
    schema.some((text) => text.includes(`"${each.split(" ")[1] ?? ""}"`));
  expect(exported.filter((each) => !imported.has(each) && !isRead(each))).toEqual([]);
});
