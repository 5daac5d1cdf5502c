import { defineConfig } from "vitest/config";

/** The chart without a cluster: rendered by helm, its script and its nginx run on this machine. */
export default defineConfig({
  test: {
    name: "chart",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: "neededPrograms.ts",
    maxWorkers: 4, // they mostly wait
    maxConcurrency: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } }, // the machine may be busy
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
