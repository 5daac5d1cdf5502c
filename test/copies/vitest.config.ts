import { defineConfig } from "vitest/config";

/** `npm test -- copies`, which provides the programs: copies in real stores on this machine. */
export default defineConfig({
  test: {
    name: "copies",
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
