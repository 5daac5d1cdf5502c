import type { Reporter, TestModule } from "vitest/node";
import { unnamedScenarios } from "./scenarios.ts";

/** Prints one line a machine can read at the very end of a run: `N passed, N failed, N skipped`. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    count.failed += unnamedScenarios(modules).length;
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++; // a file that cannot be loaded runs no test: still a failure
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
      }
    }
    // after the default reporter's own summary
    process.once("exit", () => {
      process.stdout.write(
        `${count.passed.toString()} passed, ${count.failed.toString()} failed, ${count.skipped.toString()} skipped\n`,
      );
    });
  }
}
