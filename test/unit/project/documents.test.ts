// Documents become outdated unnoticed: their links, names and commands must exist.
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { readDocument, repositoryFiles } from "../../documents.ts";
import { SUITES } from "../../suites.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FILES = repositoryFiles();
/** Files, and their folders. */
const PATHS = new Set(
  FILES.flatMap((file) => file.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"))),
);
/** Pages of sites that tests build: their links are for the built site. */
const isMaterial = (file: string): boolean => /^test\/foreignSites\/\w+\//.test(file);
const DOCUMENTS = FILES.filter((file) => file.endsWith(".md") && !isMaterial(file)).map((file) =>
  readDocument(file),
);
const SCRIPTS = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object }).scripts,
);

/** The changelog's texts about removed files stay true. */
const HISTORY = "CHANGELOG.md";

const TOP_FOLDERS = new Set(FILES.filter((file) => file.includes("/")).map((file) => file.split("/")[0]));

/** Whether a text is a file or folder of the repository: by its ending, or by the folder that it begins with. */
function isFileName(text: string): boolean {
  if (!/^[\w.@*<>-]+(\/[\w.@*<>-]+)*\/?$/.test(text)) return false;
  return /\.(ts|mjs|md|sh)$/.test(text) || (text.includes("/") && TOP_FOLDERS.has(text.split("/")[0]));
}

/** Whether a name, in which `*` and `<…>` are wildcards, is that of a path or of its end. */
function isThere(name: string, folder: string): boolean {
  const pattern = (path: string): string =>
    path
      .replace(/\/$/, "")
      .replace(/[.]/g, "\\.")
      .replace(/\*|<[^>]*>/g, "[^/]+");
  const wanted = [`^(?:.*/)?${pattern(name)}$`, `^${pattern(normalize(join(folder, name)))}$`].map(
    (source) => new RegExp(source),
  );
  return [...PATHS].some((path) => wanted.some((expression) => expression.test(path)));
}

/** Documents about the code, not about the product. */
function isForContributors(path: string): boolean {
  return /^(CONTRIBUTING|(provider|test|sdk)\/(.+\/)?README)\.md$/.test(path);
}

/** Names in contributor documents that no file of the repository has, each with the reason. */
const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  Unreleased: "a heading of the changelog, between releases",
  "manifest.json": "a file in a kit",
  ".docs-hosting/SHA256.json": "an object in a bucket",
  ".docs-hosting/owner.json": "an object in a bucket",
  ".md": "the ending of a page in Markdown",
  "guide.md": "a page of a site in Markdown",
  "guide/index.md": "a page of a site in Markdown",
  "guide.htm.md": "a page of a site in Markdown",
  "AGENTS.md": "a file of the reader's project",
  "CLAUDE.md": "a file of the reader's project",
  ".github/copilot-instructions.md": "a file of the reader's project",
};

/** All words of the code. This file would have the foreign names. */
const WORDS_OF_CODE = new Set(
  FILES.filter(
    (file) => /\.(ts|mjs|json|sh|conf)$/.test(file) && join(ROOT, file) !== import.meta.filename,
  ).flatMap((file) => wordsOf(readFileSync(join(ROOT, file), "utf8"))),
);

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z]\w*/g) ?? [];
}

/** Whether the repository has what a name in backticks names: a file, a folder, an npm script, or identifiers. */
function isKnown(name: string, folder: string): boolean {
  if (Object.hasOwn(FOREIGN_NAMES, name)) return true;
  if (/^(test|check):[\w-]+$/.test(name)) return SCRIPTS.includes(name);
  if (/^[\w.-]+(\/[\w.-]+)*(\/|\.(ts|mjs|md|sh|json|yaml|conf|tpl))$/.test(name)) {
    return isThere(name, folder);
  }
  // `camelCase`, `PascalCase` or `UPPER_CASE`: other words may be of English
  const identifiers = wordsOf(name).filter((word) => /^([a-z]+\w*[A-Z]|[A-Z]\w)/.test(word));
  return identifiers.every((word) => WORDS_OF_CODE.has(word));
}

/** Characters. Longer lines go on in the next line on some screens, and a comment at their end is then hard to see. */
const LONGEST_COMMENTED_LINE = 80;

/** Whether code is followed by a comment that is more than the version of a pinned action. */
function hasComment(line: string): boolean {
  return /\S.*\s(?:#|\/\/) (?!v\d)\S/.test(line);
}

test("npm has at most 14 scripts: suites of tests are arguments of `npm test`", () => {
  expect(SCRIPTS.length).toBeLessThanOrEqual(14);
});

test("each suite of tests, and each file of its short part, exists", () => {
  const named = Object.values(SUITES).flatMap(({ run, files = [], short = [] }) => [run, ...files, ...short]);
  expect(named.filter((path) => !PATHS.has(`test/${path}`.replace(/\/$/, "")))).toEqual([]);
});

test("the documents are found", () => {
  expect(DOCUMENTS.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/README.md", "provider/service/README.md"]),
  );
});

describe.each(DOCUMENTS)("$path", (document) => {
  const folder = dirname(document.path);

  test("links to files and headings that exist", () => {
    const broken = document.links.filter((link) => {
      const [file = "", anchor] = link.split("#");
      const path = file === "" ? document.path : normalize(join(folder, decodeURI(file)));
      if (!PATHS.has(path.replace(/\/$/, ""))) return true;
      return anchor !== undefined && !DOCUMENTS.find((other) => other.path === path)?.anchors.has(anchor);
    });
    expect(broken).toEqual([]);
  });

  test("names files that exist", () => {
    const names = document.path === HISTORY ? [] : document.code.filter(isFileName);
    const own = names.filter((name) => !Object.hasOwn(FOREIGN_NAMES, name));
    expect(own.filter((name) => !isThere(name, folder))).toEqual([]);
  });

  test("has comments above long lines of code, where narrow windows show them", () => {
    const long = document.code.filter((line) => line.length > LONGEST_COMMENTED_LINE && hasComment(line));
    expect(long).toEqual([]);
  });

  test("has commands that package.json has, and suites of tests that there are", () => {
    const code = document.path === HISTORY ? [] : document.code;
    const named = (pattern: RegExp): string[] =>
      code.flatMap((text) => [...text.matchAll(pattern)].map(([, run, short]) => run ?? short ?? ""));
    const scripts = named(/\bnpm (?:run ([\w:-]*[\w-])|(test|start)\b)/g);
    expect(scripts.filter((name) => !SCRIPTS.includes(name))).toEqual([]);
    // a path names files of the first suite, capitals are a placeholder
    const suites = named(/\bnpm test -- ([a-z-]+)(?![\w/.-])/g);
    expect(suites.filter((name) => !(name in SUITES))).toEqual([]);
  });
});

test.each(DOCUMENTS.filter(({ path }) => isForContributors(path)))(
  "$path has only names that the repository has",
  (document) => {
    const names = document.names.flatMap((text) => text.split(/\s+/));
    expect(names.filter((name) => !isKnown(name, dirname(document.path)))).toEqual([]);
  },
);

test("contributor documents are short enough to be read in one sitting", () => {
  const sizes = ["CONTRIBUTING.md", "provider/README.md", "test/README.md"].map((path) => ({
    path,
    bytes: readFileSync(join(ROOT, path)).length,
  }));
  expect(sizes.filter(({ bytes }) => bytes > 10_000)).toEqual([]);
});

test("every area of the provider has a README that the README of the provider links to", () => {
  const areas = new Set(FILES.flatMap((file) => /^provider\/((?:base\/)?\w+)\//.exec(file)?.[1] ?? []));
  const links = DOCUMENTS.find(({ path }) => path === "provider/README.md")?.links;
  expect(areas.size).toBeGreaterThan(10);
  expect([...areas].filter((area) => !links?.includes(`${area}/README.md`))).toEqual([]);
});

test("the README of an area names only files below it", () => {
  const areas = DOCUMENTS.filter(({ path }) => /^provider\/.+\/README\.md$/.test(path));
  const elsewhere = areas.flatMap(({ path, names }) => {
    const below = FILES.filter((file) => file.startsWith(`${dirname(path)}/`));
    const files = names.filter((name) => /^[\w./-]+\.(ts|sh|conf)$/.test(name));
    return files
      .filter((name) => !below.some((file) => file.endsWith(`/${name}`)))
      .map((name) => ({ path, name }));
  });
  expect(areas.length).toBeGreaterThan(10);
  expect(elsewhere).toEqual([]);
});

test("documents that comments of the code name exist", () => {
  const cited = FILES.filter((file) => /^(provider|sdk|test)\/.*\.ts$/.test(file)).flatMap((file) => {
    const comments = readFileSync(join(ROOT, file), "utf8").match(/^\s*(?:\/\*\*|\*|\/\/) .*/gm) ?? [];
    const names = comments.flatMap((line) => [...line.matchAll(/(?:`|\bsee )([\w./-]+\.md)\b/g)]);
    return names.map(([, name = ""]) => ({ file, name }));
  });
  expect(cited.length).toBeGreaterThan(0);
  const own = cited.filter(({ name }) => !Object.hasOwn(FOREIGN_NAMES, name));
  expect(own.filter(({ file, name }) => !isThere(name, dirname(file)))).toEqual([]);
});

test("no program reads the version from a variable that only some runs have", () => {
  const programs = DOCUMENTS.flatMap(({ path, programs: parts }) => parts.map((part) => `${path}: ${part}`));
  expect(programs.length).toBeGreaterThan(5);
  expect(
    programs.filter((program) => /version: process\.env|config\.get\("version"\) \?\?/.test(program)),
  ).toEqual([]);
});

test("whoever reads of `--debug` is warned that Pulumi then prints the link, with its secrets", () => {
  const paragraphs = readFileSync(join(ROOT, "docs/reference/decision-codes.md"), "utf8").split("\n\n");
  const warning = paragraphs.find((text) => text.startsWith("Do not use `--debug`"))?.replaceAll("\n", " ");
  expect(warning).toMatch(/Pulumi's own SDK prints the properties of all resources, including the link/);
});

test("every page of the documentation is listed on its first page", () => {
  const pages = DOCUMENTS.filter(({ path }) => path.startsWith("docs/") && path !== "docs/README.md");
  const listed = DOCUMENTS.find(({ path }) => path === "docs/README.md")?.links.map((link) => `docs/${link}`);
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.map(({ path }) => path).filter((path) => !listed?.includes(path))).toEqual([]);
});

test("README is short enough to be read: at most 150 lines", () => {
  expect(readDocument("README.md").lines).toBeLessThanOrEqual(150);
});
