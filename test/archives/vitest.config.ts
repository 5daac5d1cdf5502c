import { defineConfig } from "vitest/config";

/** `npm test -- archives`, which writes the archive first. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
