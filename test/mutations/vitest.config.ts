import { defineConfig } from "vitest/config";

/** The tests that `npm run test:mutations` judges: those on a virtual clock that know the mutated modules. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: [
      ...[
        "bundleLink",
        "deadline",
        "lookHistory",
        "pollSchedule",
        "progress",
        "redaction",
        "remainingTime",
        "retryPolicy",
        "serviceClock",
        "waiter",
      ].map((name) => `unit/${name}.test.ts`),
      ...["expiry", "jobStates", "links"].map((name) => `faults/${name}.test.ts`),
    ],
    setupFiles: ["faults/canary.ts"],
  },
});
