import { defineConfig } from "vitest/config";

/** The tests that judge a room: `main.ts` says which. */
const tests = process.env["MUTATION_TESTS"]?.split(" ") ?? [];

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: tests.map((name) => `${name}.test.ts`),
    setupFiles: ["faults/canary.ts"],
    testTimeout: 10_000, // a break that makes a test wait for ever costs no more
  },
});
