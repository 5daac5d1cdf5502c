import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

const project = (name: string, timeoutMs: number, options: Options): TestProjectInlineConfiguration => ({
  test: { name, root: import.meta.dirname, testTimeout: timeoutMs, hookTimeout: timeoutMs, ...options },
});

/** Programs and providers run in processes that a worker keeps for its next file, see `engine/local/reusedProcess.ts`. */
const sharedProcesses: Options = { isolate: false };

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ["default", `${import.meta.dirname}/totalsReporter.ts`],
    projects: [
      project("unit", 10_000, {
        include: ["unit/**/*.test.ts", "histories/**/*.test.ts"],
        setupFiles: ["fixedSeed.ts"],
      }),
      {
        test: {
          name: "types",
          root: import.meta.dirname,
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["types/*.test-d.ts"],
            tsconfig: "types/tsconfig.json",
          },
        },
      },
      project("faults", 20_000, {
        include: ["faults/*.test.ts"],
        setupFiles: ["fixedSeed.ts", "faults/canary.ts"],
      }),
      project("service", 60_000, {
        include: ["service/**/*.test.ts"],
        setupFiles: ["engine/reaper.ts"],
      }),
      // the CLI takes its time: a test is up to ten of its runs, several tests at once
      project("stack", 600_000, {
        include: ["stack/*.test.ts", "kills/kills.test.ts"],
        ...sharedProcesses,
      }),
      // what measures time runs alone: after all others, one file after the other
      project("timed", 300_000, {
        include: ["stack/timed/*.test.ts"],
        ...sharedProcesses,
        sequence: { groupOrder: 1 },
        maxWorkers: 1,
      }),
    ],
  },
});
