import { defineConfig } from "vitest/config";

/** `npm test -- kills`: two creates or downloads at a time, whole runs that are ended, and runs at once. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    env: { KILLS: process.env["KILLS"] ?? "50", RACES: process.env["RACES"] ?? "200" },
    maxConcurrency: 2,
    maxWorkers: 1, // tests that measure time run alone
    testTimeout: 120_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
