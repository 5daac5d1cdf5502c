import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAULT_ROWS, faultOutcomes, unnamedFaults } from "../../faultRows.ts";
import { testRun, type TestOutcome } from "../../simulation/testRun.ts";

const FOLDER = join(import.meta.dirname, "../..");
const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: FOLDER }).map((file) => join(FOLDER, file));
const HERE = files("{faults,stack,unit}/*.test.ts");
const APART = files("faults/slow/*.test.ts");

const PASSED: TestOutcome = { state: "passed" };
const all: [string, TestOutcome][] = FAULT_ROWS.map((id) => [`${id} is met`, PASSED]);

test("every row but those of the archive is to be named", () => {
  expect(FAULT_ROWS).toHaveLength(108);
  expect(FAULT_ROWS).toEqual(
    expect.arrayContaining(["N22", "H25", "B10", "J06", "T15", "U12", "E08", "I12"]),
  );
  expect(FAULT_ROWS).not.toContain("U06");
});

test("a row is passed only if all tests that name it are, and what is no row is none", () => {
  const outcomes = faultOutcomes(
    testRun(HERE, [
      ["N01 one", PASSED],
      ["N01 two", { state: "failed" }],
      ["H23 as N11, by IPv6", PASSED],
      ["N04 no root", { state: "skipped", note: "needs root" }],
      ["X09 and N99", PASSED],
    ]),
  );
  expect(Object.fromEntries(outcomes)).toEqual({
    N01: { state: "failed" },
    H23: PASSED,
    N11: PASSED,
    N04: { state: "not run", note: "needs root" },
  });
});

test("a whole run tells which rows no test of either command names", () => {
  expect(unnamedFaults(testRun(HERE, all))).toEqual([]);
  expect(
    unnamedFaults(
      testRun(
        HERE,
        all.filter(([name]) => !/^[UI]01/.test(name)),
      ),
    ),
  ).toEqual(["U01", "I01"]);
});

test("a row that only the other command names is named", () => {
  const elsewhere = unnamedFaults(testRun(APART, []));
  expect(elsewhere).not.toContain("N01");
  expect(unnamedFaults(testRun(HERE, [])).length).toBeLessThan(FAULT_ROWS.length);
});

test("a part of a run says nothing of the rows that it leaves out", () => {
  expect(unnamedFaults(testRun(HERE, [], /N01/))).toEqual([]);
  expect(unnamedFaults(testRun(HERE.slice(1), []))).toEqual([]);
});
