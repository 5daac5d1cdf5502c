import type { Reporter, TestModule } from "vitest/node";
import { availableEngines } from "./engine/availableEngines.ts";
import type { EngineKind } from "./engine/stack.ts";
import { listOf, type Outcome } from "./namedOutcomes.ts";
import { scenarioOutcomes, SCENARIOS, unnamedScenarios } from "./scenarios.ts";

const ENGINE_NAMES: Readonly<Record<EngineKind, string>> = {
  local: "the test engine",
  cli: "the Pulumi CLI",
};

/** Prints which scenarios ran on which engine. A scenario that no test names makes a whole run fail. */
export default class ScenarioReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const outcomes = scenarioOutcomes(modules);
    if (outcomes.local.size + outcomes.cli.size === 0) return; // none was asked for
    const unnamed = unnamedScenarios(modules);
    const parts = [
      (["local", "cli"] as const).map((kind) => countOf(kind, outcomes[kind])).join(", "),
      ...(["local", "cli"] as const).flatMap((kind) => troubleOf(kind, outcomes[kind])),
      ...(unnamed.length > 0 ? [`FAILED, no test names: ${unnamed.join(", ")}`] : []),
    ];
    if (unnamed.length > 0) process.exitCode = 1;
    // after the default reporter's own summary
    process.once("exit", () => {
      process.stdout.write(`scenarios: ${parts.join("; ")}\n`);
    });
  }
}

/** "48 of 50 on the test engine" */
function countOf(kind: EngineKind, outcomes: ReadonlyMap<string, Outcome>): string {
  const passed = SCENARIOS.filter((id) => outcomes.get(id)?.state === "passed").length;
  const { kinds, skipped } = availableEngines();
  const why = kinds.includes(kind) ? "" : ` (${skipped?.replace(/^\w+: /, "") ?? "not here"})`;
  return `${passed} of ${SCENARIOS.length} on ${ENGINE_NAMES[kind]}${why}`;
}

/** "not run on the test engine: L41 (needs a cluster)" */
function troubleOf(kind: EngineKind, outcomes: ReadonlyMap<string, Outcome>): string[] {
  return (["failed", "not run"] as const).flatMap((state) => {
    const list = listOf(outcomes, state);
    return list === "" ? [] : [`${state} on ${ENGINE_NAMES[kind]}: ${list}`];
  });
}
