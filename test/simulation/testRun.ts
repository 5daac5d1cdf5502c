import type { TestModule, TestResult } from "vitest/node";

export type TestOutcome = Pick<TestResult, "state"> & { note?: string };

/**
 * What a reporter gets of a run of vitest in which the first file had these tests, and the others none.
 *
 * @param filter of the names of tests
 */
export function testRun(
  files: readonly string[],
  tests: readonly [name: string, outcome: TestOutcome][],
  filter?: RegExp,
): TestModule[] {
  const project = { vitest: { config: { testNamePattern: filter } } };
  return files.map((moduleId, index) => {
    const cases = tests.map(([fullName, outcome]) => ({ fullName, project, result: () => outcome }));
    return { moduleId, project, children: { allTests: () => (index === 0 ? cases : []) } };
  }) as unknown as TestModule[];
}
