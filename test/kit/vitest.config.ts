import { defineConfig } from "vitest/config";

/** `npm test -- kit`, which provides the programs: an operator's work with a kit, without a cluster. */
export default defineConfig({
  test: {
    name: "kit",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
