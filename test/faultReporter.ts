import type { Reporter, TestModule } from "vitest/node";
import { FAULT_ROWS, faultOutcomes, unnamedFaults } from "./faultRows.ts";
import { listOf } from "./namedOutcomes.ts";

/** Prints how many faults were tried. One that no test names makes a whole run fail. */
export default class FaultReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const outcomes = faultOutcomes(modules);
    if (outcomes.size === 0) return; // none was asked for
    const [failed, notRun] = [listOf(outcomes, "failed"), listOf(outcomes, "not run")];
    const unnamed = unnamedFaults(modules);
    const ran = [...outcomes.values()].filter(({ state }) => state !== "not run").length;
    const parts = [
      `${ran} of ${FAULT_ROWS.length} rows here${ran > 0 && failed === "" ? ", all passed" : ""}`,
      ...(failed === "" ? [] : [`failed: ${failed}`]),
      ...(notRun === "" ? [] : [`not run: ${notRun}`]),
      ...(unnamed.length > 0 ? [`FAILED, no test names: ${unnamed.join(", ")}`] : []),
    ];
    if (unnamed.length > 0) process.exitCode = 1;
    // after the default reporter's own summary
    process.once("exit", () => {
      process.stdout.write(`faults: ${parts.join("; ")}\n`);
    });
  }
}
