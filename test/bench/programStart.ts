import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const ROOT = join(import.meta.dirname, "../..");
const RUNS = 15;
const LIMIT_MS = 100;

/** Whole programs, from the start of Node.js to its end, against a monitor that answers from memory. */
const WITH_PULUMI = `
  const pulumi = require("@pulumi/pulumi");
  pulumi.runtime.setMocks({ newResource: ({ inputs }) => ({ id: "docs", state: inputs }), call: () => ({}) });`;
const PROGRAMS: Readonly<Record<string, string>> = {
  "a bare CustomResource": `${WITH_PULUMI}
    new pulumi.CustomResource("docs:index:Export", "docs", { domain: "docs.example.com" });`,
  "a StaticExport": `${WITH_PULUMI}
    const { StaticExport } = require("pulumi-docs-hosting");
    new StaticExport("docs", { domain: "docs.example.com" });`,
};

/** What the package adds to the time that a program takes. */
export function programStart(): Promise<boolean> {
  const times: Record<string, number[]> = {};
  for (let run = -1; run < RUNS; run++) {
    for (const [name, program] of Object.entries(PROGRAMS)) {
      const startedMs = performance.now();
      execFileSync(process.execPath, ["-e", program], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
      if (run >= 0) (times[name] ??= []).push(performance.now() - startedMs); // the first one fills the disk's cache
    }
  }
  const added = (figure: (all: readonly number[]) => number): number => {
    const [bare = NaN, ours = NaN] = Object.values(times).map(figure);
    return ours - bare;
  };
  const median = (all: readonly number[]): number => percentile(all, 0.5);
  const fastest = (all: readonly number[]): number => Math.min(...all);
  const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;
  printTable(
    "program-start",
    ["program with", "median", "fastest"],
    [
      ...Object.entries(times).map(([name, all]) => [
        name,
        milliseconds(median(all)),
        milliseconds(fastest(all)),
      ]),
      ["added by the package", milliseconds(added(median)), milliseconds(added(fastest))],
    ],
  );
  console.log(`${RUNS} runs of each in turn, from the start of Node.js to its end.\n`);
  const addedMs = added(fastest); // what else the machine does makes no run faster
  const missed = addedMs > LIMIT_MS ? [`${milliseconds(addedMs)} added`] : [];
  return Promise.resolve(verdict(missed, `${LIMIT_MS} ms added to the fastest run`));
}
