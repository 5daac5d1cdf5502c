import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints, at the very end of a run, its duration, why tests were skipped, the failures, a line each, and one machine-readable
 * line: `N passed, N failed, N skipped`.
 */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, skipped: 0 };
    const failures = unhandledErrors.map((error) => `outside of any test: ${firstLineOf(error)}`);
    const reasons = new Map<string, number>();
    const seconds = new Map<string, number>();
    const isFiltered = modules.some(({ project }) => project.vitest.config.testNamePattern);
    for (const module of modules) {
      const { name } = module.project;
      seconds.set(name, (seconds.get(name) ?? 0) + module.diagnostic().duration / 1_000);
      // a file that cannot be loaded runs no test: still a failure
      failures.push(...failuresOf(module.relativeModuleId, module.errors()));
      for (const suite of module.children.allSuites()) {
        failures.push(...failuresOf(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors()));
      }
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "failed") {
          const [first] = failuresOf(`${module.relativeModuleId} > ${test.fullName}`, result.errors);
          failures.push(first ?? test.fullName);
        } else if (result.state !== "pending") count[result.state]++;
        if (result.state === "skipped" && !isFiltered) {
          const reason = result.note ?? `${module.relativeModuleId} gives no reason`;
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
      }
    }
    // after the default reporter's own summary
    process.once("exit", () => {
      for (const [reason, times] of reasons) process.stdout.write(`skipped ${times} × ${reason}\n`);
      const projects = [...seconds].map(([name, time]) => `${name} ${time.toFixed(0)} s`.trim());
      process.stdout.write(
        `took ${(performance.now() / 1_000).toFixed(0)} s; tests: ${projects.join(", ")}\n`,
      );
      for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
      process.stdout.write(
        `${count.passed.toString()} passed, ${failures.length.toString()} failed, ${count.skipped.toString()} skipped\n`,
      );
    });
  }
}

/** One line per file, however many errors its hooks had. */
function failuresOf(where: string, errors: readonly unknown[]): string[] {
  return errors.length === 0 ? [] : [`${where}: ${firstLineOf(errors[0])}`];
}

function firstLineOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return (typeof message === "string" ? message : String(error)).split("\n", 1)[0] ?? "";
}
