import { defineConfig } from "vitest/config";

/** `npm run test:kills`: two creates or downloads at a time, and then whole runs that are ended. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    env: { KILLS: process.env["KILLS"] ?? "50" },
    maxConcurrency: 2,
    maxWorkers: 1, // tests that measure time run alone
    testTimeout: 120_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
