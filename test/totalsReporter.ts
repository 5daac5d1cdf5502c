import type { Reporter, TestModule } from "vitest/node";
import { unnamedFaults } from "./faultRows.ts";
import { unnamedScenarios } from "./scenarios.ts";

/**
 * Prints why tests were skipped, and, at the very end of a run, one line that a machine can read: `N passed, N failed,
 * N skipped`.
 */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    count.failed += unnamedScenarios(modules).length + unnamedFaults(modules).length;
    const reasons = new Map<string, number>();
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++; // a file that cannot be loaded runs no test: still a failure
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state !== "pending") count[result.state]++;
        if (result.state === "skipped" && result.note !== undefined) {
          reasons.set(result.note, (reasons.get(result.note) ?? 0) + 1);
        }
      }
    }
    // after the default reporter's own summary
    process.once("exit", () => {
      for (const [reason, times] of reasons) process.stdout.write(`skipped ${times} × ${reason}\n`);
      process.stdout.write(
        `${count.passed.toString()} passed, ${count.failed.toString()} failed, ${count.skipped.toString()} skipped\n`,
      );
    });
  }
}
