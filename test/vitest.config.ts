import { defineConfig } from "vitest/config";

const project = (name: string, include: string[], timeoutMs: number) => ({
  test: { name, root: import.meta.dirname, include, testTimeout: timeoutMs, hookTimeout: timeoutMs },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: [
      "default",
      ...["scenarioReporter.ts", "faultReporter.ts", "totalsReporter.ts"].map(
        (name) => `${import.meta.dirname}/${name}`,
      ),
    ],
    projects: [
      project("unit", ["unit/**/*.test.ts", "histories/**/*.test.ts"], 10_000),
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
      {
        test: {
          ...project("faults", ["faults/*.test.ts"], 20_000).test,
          setupFiles: ["faults/canary.ts"],
        },
      },
      {
        test: {
          ...project("service", ["service/**/*.test.ts"], 60_000).test,
          setupFiles: ["engine/reaper.ts"],
        },
      },
      project("stack", ["stack/**/*.test.ts", "kills/kills.test.ts"], 300_000), // the CLI takes its time
    ],
  },
});
