import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const ROOT = join(import.meta.dirname, "../..");
const RUNS = 15;
const LIMIT_MS = 100;

/** Whole programs, against a monitor that answers from memory. They report their cost at the end, in milliseconds. */
const WITH_PULUMI = `
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ elapsedMs: performance.now(), cpuMs: (user + system) / 1000 }));
  });
  const pulumi = require("@pulumi/pulumi");
  pulumi.runtime.setMocks({ newResource: ({ inputs }) => ({ id: "docs", state: inputs }), call: () => ({}) });`;
const PROGRAMS: Readonly<Record<string, string>> = {
  "a bare CustomResource": `${WITH_PULUMI}
    new pulumi.CustomResource("docs:index:Export", "docs", { domain: "docs.example.com" });`,
  "a StaticExport": `${WITH_PULUMI}
    const { StaticExport } = require("pulumi-docs-hosting");
    new StaticExport("docs", { domain: "docs.example.com" });`,
};

interface Run {
  elapsedMs: number;
  cpuMs: number;
}

/** What the package adds to the start time of a program. */
export function programStart(): Promise<boolean> {
  const runs = Object.entries(PROGRAMS).map(([name, program]) => ({ name, program, all: [] as Run[] }));
  for (let round = -1; round < RUNS; round++) {
    for (const { program, all } of runs) {
      const measured = execFileSync(process.execPath, ["-e", program], {
        cwd: ROOT,
        stdio: ["ignore", "pipe", "inherit"],
      });
      if (round >= 0) all.push(JSON.parse(String(measured)) as Run); // the first one fills the disk's cache
    }
  }
  const rows = runs.map(({ name, all }) => ({
    name,
    elapsedMs: median(all.map(({ elapsedMs }) => elapsedMs)),
    fastestMs: Math.min(...all.map(({ elapsedMs }) => elapsedMs)),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
  }));
  const [bare, ours] = rows;
  const added = (figure: "elapsedMs" | "fastestMs" | "cpuMs"): number =>
    (ours?.[figure] ?? NaN) - (bare?.[figure] ?? NaN);
  const name = "added by the package";
  rows.push({ name, elapsedMs: added("elapsedMs"), fastestMs: added("fastestMs"), cpuMs: added("cpuMs") });
  printTable(
    "program-start",
    ["program with", "time, median", "time, fastest", "processor time, median"],
    rows.map((row) => [
      row.name,
      ...[row.elapsedMs, row.fastestMs, row.cpuMs].map((ms) => `${ms.toFixed(0)} ms`),
    ]),
  );
  console.log(`${RUNS} runs of each in turn, from the start of Node.js to its end.\n`);
  // of the three, the processor time depends least on other load of the machine
  const missed = added("cpuMs") > LIMIT_MS ? [`${added("cpuMs").toFixed(0)} ms of processor time added`] : [];
  return Promise.resolve(verdict(missed, `${LIMIT_MS} ms of processor time added`));
}

const median = (values: readonly number[]): number => percentile(values, 0.5);
