import { defineConfig } from "vitest/config";

/**
 * `npm run test:cluster`, which prepares the cluster: see `main.ts`. First what Helm does on a cluster, then
 * the whole.
 */
export default defineConfig({
  test: {
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
    projects: [
      {
        test: {
          name: "release",
          root: `${import.meta.dirname}/../engine`,
          include: ["helmRelease.test.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          sequence: { groupOrder: 0 },
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "cluster",
          root: import.meta.dirname,
          include: ["*.test.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          sequence: { groupOrder: 1 },
          maxWorkers: 3, // they mostly wait
        },
      },
    ],
  },
});
