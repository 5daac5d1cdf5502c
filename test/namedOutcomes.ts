// What became of the rows of a list (scenarios, faults) that tests name by their ids.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestCase, TestModule } from "vitest/node";

/** How a row went: passed only if all its tests did. */
export interface Outcome {
  state: "passed" | "failed" | "not run";
  /** Why it was not run. */
  note?: string;
}

/** The tests that were asked for, as against those that a filter of names left out. */
export function askedTests(modules: readonly TestModule[]): TestCase[] {
  return modules.flatMap((module) => [...module.children.allTests()]).filter((test) => !isFilteredOut(test));
}

/** @param ids finds the ids that a test names */
export function outcomesOf(tests: readonly TestCase[], ids: RegExp): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const test of tests) {
    for (const [id] of test.fullName.matchAll(ids)) {
      outcomes.set(id, worse(outcomes.get(id), outcomeOf(test)));
    }
  }
  return outcomes;
}

/** Whether a run had all the files of a pattern, below this folder, and all their tests. */
export function isWhole(modules: readonly TestModule[], pattern: string): boolean {
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  const files = globSync(pattern, { cwd: import.meta.dirname });
  return (
    files.every((file) => ran.has(join(import.meta.dirname, file))) &&
    !modules.some(({ project }) => project.vitest.config.testNamePattern)
  );
}

/** Ids that tests of another command name, at the beginning of their names. @param pattern of files below this folder */
export function idsNamedIn(pattern: string): ReadonlySet<string> {
  const files = globSync(pattern, { cwd: import.meta.dirname });
  const sources = files.map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));
  const beginnings = sources.flatMap((source) => [...source.matchAll(/["'`]((?:[A-Z]\d\d\b(?:, )?)+)/g)]);
  return new Set(beginnings.flatMap(([, ids = ""]) => ids.split(", ")));
}

/** "L41 (needs a cluster), L42": the rows of one outcome. */
export function listOf(outcomes: ReadonlyMap<string, Outcome>, state: Outcome["state"]): string {
  return [...outcomes]
    .filter(([, outcome]) => outcome.state === state)
    .map(([id, { note }]) => (note === undefined ? id : `${id} (${note})`))
    .sort()
    .join(", ");
}

function isFilteredOut(test: TestCase): boolean {
  const result = test.result();
  return (
    result.state === "skipped" && !result.note && test.project.vitest.config.testNamePattern !== undefined
  );
}

function outcomeOf(test: TestCase): Outcome {
  const result = test.result();
  if (result.state === "passed" || result.state === "failed") return { state: result.state };
  return { state: "not run", note: (result.state === "skipped" && result.note) || "skipped" };
}

function worse(one: Outcome | undefined, other: Outcome): Outcome {
  if (!one || one.state === "passed") return other;
  return other.state === "failed" ? other : one;
}
