import { defineConfig } from "vitest/config";

/** `npm test -- faults`: faults that need a network or the memory of a machine of their own. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    setupFiles: ["../canary.ts"],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", `${import.meta.dirname}/../../totalsReporter.ts`],
  },
});
