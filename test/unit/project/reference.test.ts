// The reference for users, `sdk/README.md`, agrees with the code.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_JOB_INPUTS } from "../../../provider/agentJob/inputs.ts";
import { inputNames } from "../../../provider/resource/inputTable.ts";
import { STATIC_EXPORT_INPUTS } from "../../../provider/staticExport/inputs.ts";
import * as dynamic from "../../../provider/dynamic.ts";
import * as errors from "../../../provider/messages/errors.ts";
import * as sdk from "../../../sdk/index.ts";
import { OWN_OUTPUTS } from "../../../sdk/staticExport.ts";

const ROOT = join(import.meta.dirname, "../../..");
const REFERENCE = readFileSync(join(ROOT, "sdk/README.md"), "utf8");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The first cells of the rows of the tables below a heading, up to the next heading. */
function firstCells(heading: string): string[] {
  const [, below = ""] = REFERENCE.split(`\n${heading}\n`);
  const [section = ""] = below.split(/\n#/);
  const cells = [...section.matchAll(/^\| (.*?) +\|/gm)].map(([, cell = ""]) => cell);
  const isLine = (cell = ""): boolean => /^-+$/.test(cell);
  return cells.filter((cell, index) => !isLine(cell) && !isLine(cells[index + 1])); // without the head, either
}

test("the codes of decisions are those of the code", () => {
  const documented = firstCells("## Decision codes").flatMap((cell) => /^`(\w+)`$/.exec(cell)?.[1] ?? []);
  const known = [...read("provider/resource/decision.ts").matchAll(/\| "([A-Z_]+)"/g)].map(
    ([, code]) => code,
  );
  expect(known.length).toBeGreaterThan(5);
  expect(documented.sort()).toEqual(known.sort());
});

test("an explained message exists in the code", () => {
  const code = globSync("{provider,sdk}/**/*.ts", { cwd: ROOT })
    .map(read)
    .join("\n")
    .replace(/["`]\s*\+\s*["`]/g, "");
  const pieces = firstCells("## When something goes wrong")
    .flatMap((cell) => cell.split(/…|\d{3}|, (?=answered)/))
    .map((piece) => piece.trim())
    .filter((piece) => piece.length > 3);
  expect(pieces.length).toBeGreaterThan(30);
  expect(pieces.filter((piece) => !code.includes(piece))).toEqual([]);
});

const names = (heading: string): string[] =>
  firstCells(heading).flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));

test("every input is in the table of inputs", () => {
  expect(names("### Inputs").sort()).toEqual(inputNames(STATIC_EXPORT_INPUTS).sort());
  const given = inputNames(AGENT_JOB_INPUTS).map((name) => AGENT_JOB_INPUTS[name].publicName ?? name);
  expect(names("## `AgentJob`")).toEqual(expect.arrayContaining(given));
});

test("every output is in the table of outputs", () => {
  expect(names("### Outputs")).toEqual(
    expect.arrayContaining([...Object.keys(OWN_OUTPUTS), "jobId", "version"]),
  );
});

test("every resource has a section, and its class is exported", () => {
  const resources = Object.keys(dynamic);
  expect(resources.filter((name) => !REFERENCE.includes(`## \`${name}\``))).toEqual([]);
  expect(resources.filter((name) => !Object.hasOwn(sdk, name))).toEqual([]);
});

test("every class of errors that the package exports is explained", () => {
  const [, explained = ""] = REFERENCE.split("\n### `getAgentJob`\n");
  expect(Object.keys(errors).filter((name) => !explained.split("\n## ")[0]?.includes(`\`${name}\``))).toEqual(
    [],
  );
});
