// The life-cycle scenarios (L01 to L50) that tests name, and what became of them.
import { globSync } from "node:fs";
import { join } from "node:path";
import type { TestCase, TestModule } from "vitest/node";
import type { EngineKind } from "./engine/stack.ts";

/** Every scenario that some test has to name. */
export const SCENARIOS: readonly string[] = Array.from(
  { length: 50 },
  (_, index) => `L${String(index + 1).padStart(2, "0")}`,
);

/** How a scenario went on one engine: passed only if all its tests did. */
export interface Outcome {
  state: "passed" | "failed" | "not run";
  /** Why it was not run. */
  note?: string;
}

/** What each engine's tests say of each scenario that they name. */
export function outcomesOf(modules: readonly TestModule[]): Record<EngineKind, Map<string, Outcome>> {
  const outcomes = { local: new Map<string, Outcome>(), cli: new Map<string, Outcome>() };
  for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
    const engine = engineOf(test);
    if (!engine || isFilteredOut(test)) continue;
    for (const [id] of test.fullName.matchAll(/\bL\d\d\b/g)) {
      outcomes[engine].set(id, worse(outcomes[engine].get(id), outcomeOf(test)));
    }
  }
  return outcomes;
}

/** Scenarios that no test names; none in a run that leaves tests out, of which nothing can be said. */
export function unnamedScenarios(modules: readonly TestModule[]): string[] {
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  const files = globSync("{stack,package}/**/*.test.ts", { cwd: import.meta.dirname });
  if (!files.every((file) => ran.has(join(import.meta.dirname, file)))) return [];
  if (modules.some(({ project }) => project.vitest.config.testNamePattern)) return [];
  const { local, cli } = outcomesOf(modules);
  return SCENARIOS.filter((id) => !local.has(id) && !cli.has(id));
}

/** Tests of whole stacks say in their names which engine runs them; others are none. */
function engineOf(test: TestCase): EngineKind | undefined {
  return /(?:on the |\()(local|cli)(?: engine|\))/.exec(test.fullName)?.[1] as EngineKind | undefined;
}

/** Not asked for, as against skipped for a reason. */
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
