import { defineConfig } from "vitest/config";

/** They mostly wait. */
const WORKERS = 4;
/** `.ci/run` runs other commands at the same time: a test of one minute took four there. */
const TIMEOUT_MS = 480_000;

/** These cut the pods off and restart the node: after all others, one by one. */
const ALONE = ["airGap.test.ts", "offlineKit.test.ts"];

/** `npm test -- cluster`, which prepares the cluster: see `main.ts`. Tests Helm on a cluster, and whole installations. */
export default defineConfig({
  test: {
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
    projects: [
      {
        test: {
          name: "release",
          root: `${import.meta.dirname}/../engine`,
          include: ["helmRelease.test.ts"],
          testTimeout: TIMEOUT_MS,
          hookTimeout: TIMEOUT_MS,
          maxWorkers: WORKERS,
        },
      },
      {
        test: {
          name: "cluster",
          root: import.meta.dirname,
          include: ["*.test.ts"],
          exclude: ALONE,
          testTimeout: TIMEOUT_MS,
          hookTimeout: TIMEOUT_MS,
          maxWorkers: WORKERS,
        },
      },
      {
        test: {
          name: "alone",
          root: import.meta.dirname,
          include: ALONE,
          testTimeout: 600_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // `npm run bench -- publish-to-page`
      ...(process.env["CLUSTER_BENCH"] === undefined
        ? []
        : [{ test: { name: "bench", root: `${import.meta.dirname}/bench`, include: ["*.test.ts"] } }]),
    ],
  },
});
