// Documents become outdated unnoticed: their links, names and commands must exist.
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { readDocument, repositoryFiles } from "../../documents.ts";

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

/** Characters. Longer lines go on in the next line on some screens, and a comment at their end is then hard to see. */
const LONGEST_COMMENTED_LINE = 80;

/** Whether code is followed by a comment that is more than the version of a pinned action. */
function hasComment(line: string): boolean {
  return /\S.*\s(?:#|\/\/) (?!v\d)\S/.test(line);
}

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
    expect(names.filter((name) => !isThere(name, folder))).toEqual([]);
  });

  test("has comments above long lines of code, where narrow windows show them", () => {
    const long = document.code.filter((line) => line.length > LONGEST_COMMENTED_LINE && hasComment(line));
    expect(long).toEqual([]);
  });

  test("has commands that package.json has", () => {
    const commands = document.code.flatMap((text) => [
      ...text.matchAll(/\bnpm (?:run ([\w:-]*[\w-])|(test|start)\b)/g),
    ]);
    const names = commands.map(([, run, short]) => run ?? short ?? "");
    expect(names.filter((name) => !SCRIPTS.includes(name))).toEqual([]);
  });
});

test("documents that comments of the code name exist", () => {
  const cited = FILES.filter((file) => /^(provider|sdk|test)\/.*\.ts$/.test(file)).flatMap((file) => {
    const comments = readFileSync(join(ROOT, file), "utf8").match(/^\s*(?:\/\*\*|\*|\/\/) .*/gm) ?? [];
    const names = comments.flatMap((line) => [...line.matchAll(/(?:`|\bsee )([\w./-]+\.md)\b/g)]);
    return names.map(([, name = ""]) => ({ file, name }));
  });
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter(({ file, name }) => !isThere(name, dirname(file)))).toEqual([]);
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
