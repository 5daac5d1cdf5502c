import { defineConfig } from "vitest/config";

/**
 * `npm test -- engine`: the test engine's own tests, on every available engine. Those that need a cluster are in `test:cluster`.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    exclude: ["helmRelease.test.ts"],
    maxWorkers: 2,
    isolate: false, // files share a process, and the programs and providers that it keeps
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
