import { defineConfig } from "vitest/config";

/** `npm run test:kills`: two creates at a time. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    env: { KILLS: "50" },
    maxConcurrency: 2,
    testTimeout: 120_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
