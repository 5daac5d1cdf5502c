import { defineConfig } from "vitest/config";

/** `npm run test:cluster`, which prepares the cluster: see `main.ts`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ["default", `${import.meta.dirname}/../totalsReporter.ts`],
  },
});
