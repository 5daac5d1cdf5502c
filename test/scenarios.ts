// The scenarios of a life (L01 to L50) and of company (C01 to C15) that tests name, and what became of them.
import type { TestCase, TestModule } from "vitest/node";
import type { EngineKind } from "./engine/stack.ts";
import { askedTests, idsNamedIn, isWhole, outcomesOf, type Outcome } from "./namedOutcomes.ts";

/** Every scenario that some test has to name. */
export const SCENARIOS: readonly string[] = Object.entries({ L: 50, C: 15 }).flatMap(([letter, length]) =>
  Array.from({ length }, (_, index) => `${letter}${String(index + 1).padStart(2, "0")}`),
);

/** What each engine's tests say of each scenario that they name. */
export function scenarioOutcomes(modules: readonly TestModule[]): Record<EngineKind, Map<string, Outcome>> {
  const tests = askedTests(modules);
  const outcomesOn = (kind: EngineKind): Map<string, Outcome> =>
    outcomesOf(
      tests.filter((test) => engineOf(test) === kind),
      /\b[LC]\d\d\b/g,
    );
  return { local: outcomesOn("local"), cli: outcomesOn("cli") };
}

/**
 * Scenarios that no test of `npm test` or `npm run test:package` names; none in a run that leaves tests out, of which
 * nothing can be said.
 */
export function unnamedScenarios(modules: readonly TestModule[]): string[] {
  if (!isWhole(modules, "stack/**/*.test.ts")) return [];
  const { local, cli } = scenarioOutcomes(modules);
  const elsewhere = idsNamedIn("package/*.test.ts");
  return SCENARIOS.filter((id) => !local.has(id) && !cli.has(id) && !elsewhere.has(id));
}

/** Tests of whole stacks say in their names which engine runs them; others are none. */
function engineOf(test: TestCase): EngineKind | undefined {
  return /(?:on the |\()(local|cli)(?: engine|\))/.exec(test.fullName)?.[1] as EngineKind | undefined;
}
