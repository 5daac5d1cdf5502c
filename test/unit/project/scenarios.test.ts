import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestModule } from "vitest/node";
import { scenarioOutcomes, SCENARIOS, unnamedScenarios } from "../../scenarios.ts";
import { testRun, type TestOutcome } from "../../simulation/testRun.ts";

const FOLDER = join(import.meta.dirname, "../..");
const FILES = globSync("stack/**/*.test.ts", { cwd: FOLDER }).map((file) => join(FOLDER, file));

const PASSED: TestOutcome = { state: "passed" };

/** What a reporter gets of a run in which the first file had these tests. */
const run = (
  tests: [name: string, outcome: TestOutcome][],
  { files = FILES, filter = undefined as RegExp | undefined } = {},
): TestModule[] => testRun(files, tests, filter);
const all = (end: string): [string, TestOutcome][] => SCENARIOS.map((id) => [`${end} > ${id} works`, PASSED]);

test("there are fifty scenarios of a life and fifteen of company", () => {
  expect(SCENARIOS).toHaveLength(65);
  expect([SCENARIOS[0], SCENARIOS[49], SCENARIOS[50], SCENARIOS[64]]).toEqual(["L01", "L50", "C01", "C15"]);
});

test("a scenario is passed only if all tests that name it are, engine by engine", () => {
  const { local, cli } = scenarioOutcomes(
    run([
      ["life, on the local engine > L01, L02 both", PASSED],
      ["life, on the local engine > L02 again", { state: "failed" }],
      ["life, on the local engine > L02 once more", PASSED],
      ["life, on the local engine > L03 here", PASSED],
      ["life, on the local engine > L03 there", { state: "skipped", note: "needs root" }],
      ["life, on the cli engine > L01 there", PASSED],
    ]),
  );
  expect(Object.fromEntries(local)).toEqual({
    L01: { state: "passed" },
    L02: { state: "failed" },
    L03: { state: "not run", note: "needs root" },
  });
  expect(Object.fromEntries(cli)).toEqual({ L01: { state: "passed" } });
});

test("tests that name no engine count for nothing", () => {
  expect([...scenarioOutcomes(run([["L23 pnpm > up works (local)", PASSED]])).local.keys()]).toEqual(["L23"]);
  const { local, cli } = scenarioOutcomes(run([["L23 pnpm", PASSED]]));
  expect(local.size + cli.size).toBe(0);
});

test("what a filter leaves out is not told", () => {
  const { local } = scenarioOutcomes(
    run([["on the local engine > L01", { state: "skipped" }]], { filter: /L02/ }),
  );
  expect(local.size).toBe(0);
});

test("a whole run tells which scenarios no test names; one on either engine is enough", () => {
  const tests = all("on the local engine");
  expect(unnamedScenarios(run(tests))).toEqual([]);
  expect(unnamedScenarios(run(tests.slice(2)))).toEqual(["L01", "L02"]);
  expect(unnamedScenarios(run([...tests.slice(1), ["on the cli engine > L01 works", PASSED]]))).toEqual([]);
});

test("a scenario that only the tests of the package name is named", () => {
  const others = all("on the local engine").filter(([name]) => !name.includes("L23"));
  expect(unnamedScenarios(run(others))).toEqual([]);
});

test("a part of a run says nothing of the scenarios that it leaves out", () => {
  expect(unnamedScenarios(run([], { filter: /L02/ }))).toEqual([]);
  expect(unnamedScenarios(run([], { files: FILES.slice(1) }))).toEqual([]);
});
