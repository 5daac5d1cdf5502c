import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { PATIENTLY } from "./simulation/patience.ts";

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

const project = (name: string, timeoutMs: number, options: Options): TestProjectInlineConfiguration => ({
  test: {
    name,
    root: import.meta.dirname,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: PATIENTLY },
    ...options,
  },
});

/** Only for hangs, in milliseconds: on a machine that is ten times as busy, a test of seconds takes a minute. */
const HANG_MS = 240_000;

/** Files share a process and its loaded modules: stack tests also programs and providers, see `engine/local/reusedProcess.ts`. */
const sharedProcesses: Options = { isolate: false };
/** Tests that replace modules by others: each file has a process of its own. */
export const REPLACED_MODULES =
  "unit/{adapters/dynamic/{dynamicProvider,damagedStates,unsentReply},sdk/{getAgentJob,kubernetes/releaseOptions}}.test.ts";
/** Tests that load @pulumi/pulumi: processes of their own, so that the others need not load it. */
const PULUMI = "unit/{adapters,sdk}/**/*.test.ts";

/** Histories of copies, which `npm test -- histories` runs. */
const LONG_HISTORIES = process.env["PUBLICATIONS"] === "all" ? [] : ["histories/publications/*.test.ts"];

/** Stacks that need minutes of processor time, and those that measure time: other suites run them (`suites.ts`). */
const hasLongStacks =
  process.env["STACKS"] === "all" || process.env["ADAPTER"] === "native" || process.env["ENGINE"] === "cli";

export default defineConfig({
  test: {
    maxWorkers: 4, // they wait for processes and for replies
    reporters: ["default", `${import.meta.dirname}/totalsReporter.ts`],
    projects: [
      project("unit", HANG_MS, {
        include: ["unit/**/*.test.ts", "histories/**/*.test.ts"],
        exclude: [PULUMI, ...LONG_HISTORIES],
        setupFiles: ["fixedSeed.ts", "replacedTimers.ts"],
        ...sharedProcesses,
      }),
      project("pulumi", HANG_MS, {
        include: [PULUMI],
        exclude: [REPLACED_MODULES],
        setupFiles: ["fixedSeed.ts", "replacedTimers.ts"],
        ...sharedProcesses,
      }),
      project("modules", HANG_MS, {
        include: [REPLACED_MODULES],
        setupFiles: ["fixedSeed.ts"],
      }),
      project("faults", HANG_MS, {
        include: ["faults/*.test.ts"],
        setupFiles: ["fixedSeed.ts", "replacedTimers.ts", "faults/canary.ts"],
        ...sharedProcesses,
      }),
      project("service", HANG_MS, {
        include: ["service/**/*.test.ts"],
        setupFiles: ["engine/reaper.ts"],
        ...sharedProcesses,
      }),
      // the CLI is slow: a test is up to ten of its runs, several tests at once
      project("stack", 600_000, {
        include: [
          "stack/*.test.ts",
          ...(hasLongStacks ? ["stack/long/*.test.ts"] : []),
          "kills/downloads.test.ts",
        ],
        maxConcurrency: 3, // each additional test is two more processes that load @pulumi/pulumi
        ...sharedProcesses,
      }),
      // tests that measure time run alone: after all others, one file after the other
      project("timed", 300_000, {
        include: hasLongStacks ? ["stack/timed/*.test.ts"] : [],
        ...sharedProcesses,
        sequence: { groupOrder: 1 },
        maxWorkers: 1,
      }),
    ],
  },
});
