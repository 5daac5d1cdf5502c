// The reference for users, `docs/reference/`, agrees with the code.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as errors from "../../../provider/base/runtime/messages/errors.ts";
import * as dynamic from "../../../provider/dynamic.ts";
import * as sdk from "../../../sdk/index.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The text below a heading of a page, up to the next heading. */
function section(page: string, heading: string): string {
  const [, below] = `\n${read(`docs/reference/${page}.md`)}`.split(`\n${heading}\n`);
  if (below === undefined) throw new Error(`docs/reference/${page}.md has no ${heading}`);
  return below.split(/\n#/)[0] ?? "";
}

/** The first cells of the rows of the tables below a heading, up to the next heading. */
function firstCells(page: string, heading: string): string[] {
  const cells = [...section(page, heading).matchAll(/^\| (.*?) +\|/gm)].map(([, cell = ""]) => cell);
  const isLine = (cell = ""): boolean => /^-+$/.test(cell);
  return cells.filter((cell, index) => !isLine(cell) && !isLine(cells[index + 1])); // without the head, either
}

test("an explained message exists in the code", () => {
  const code = globSync("{provider,sdk}/**/*.ts", { cwd: ROOT })
    .map(read)
    .join("\n")
    .replace(/["`]\s*\+\s*["`]/g, "");
  const pieces = ["## Errors", "## Warnings"]
    .flatMap((heading) => firstCells("errors", heading))
    .flatMap((cell) => cell.split(/…|\d{3}|, (?=answered)/))
    .map((piece) => piece.trim())
    .filter((piece) => piece.length > 3);
  expect(pieces.length).toBeGreaterThan(30);
  expect(pieces.filter((piece) => !code.includes(piece))).toEqual([]);
});

test("every resource has a page, and its class is exported", () => {
  const resources = Object.keys(dynamic);
  const pages = globSync("docs/reference/*.md", { cwd: ROOT }).map(read);
  const without = resources.filter((name) => !pages.some((page) => page.startsWith(`# \`${name}\`\n`)));
  expect(without).toEqual([]);
  expect(resources.filter((name) => !Object.hasOwn(sdk, name))).toEqual([]);
});

test("every class of errors that the package exports is explained", () => {
  const explained = section("agent-job", "## `getAgentJob`");
  expect(Object.keys(errors).filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
});
