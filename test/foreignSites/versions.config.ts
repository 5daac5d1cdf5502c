import { defineConfig } from "vitest/config";

/** Two versions of a site of each generator, which their generators build. No browser and no server. */
export default defineConfig({
  test: {
    name: "site versions",
    root: import.meta.dirname,
    include: ["immutablePaths.test.ts"],
    maxWorkers: 1,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
