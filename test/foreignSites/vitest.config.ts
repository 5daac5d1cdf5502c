import { defineConfig } from "vitest/config";

/**
 * Sites of other generators in a browser, served by programs of this machine: the chart's nginx over an export, and hosts of
 * copies.
 */
export default defineConfig({
  test: {
    name: "foreign sites",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    exclude: ["immutablePaths.test.ts", "tabSites.test.ts", "llmsSites.test.ts"], // suites of their own
    globalSetup: "../chart/neededPrograms.ts",
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } }, // the machine may be busy
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
