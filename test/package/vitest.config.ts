import { defineConfig } from "vitest/config";

/** `npm test -- package`: the packed package as package managers install it, and states of earlier releases. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    globalSetup: "packOnce.ts",
    setupFiles: ["../engine/reaper.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
