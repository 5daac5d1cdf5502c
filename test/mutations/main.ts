// `npm test -- mutations`: breaks the code of `provider/` and `sdk/` in every way that Stryker knows, and counts the breaks that
// a test notices, module by module. `MODULE…` selects modules, `--changed` the lines that changed since the last release.
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { changesSinceRelease } from "./changedLines.ts";
import { JUDGED_BY_NAME_ONLY, MODULES } from "./modules.ts";
import { type MutantResult, type Score, scoreOf } from "./score.ts";

/** The least share of breaks that the tests of each module must notice, in percent. */
const LEAST_SCORE = 90;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "boolean", default: false },
    concurrency: { type: "string", default: "2" },
  },
});
for (const name of positionals) {
  if (!MODULES.has(name)) throw new Error(`no module ${name}: there are ${[...MODULES.keys()].join(", ")}`);
}
const modules =
  positionals.length > 0 ? positionals : [...MODULES.keys()].filter((name) => !JUDGED_BY_NAME_ONLY.has(name));

/** The files of a module, or those of their lines that count. */
let partsOf = (files: readonly string[]): readonly string[] => files;
if (values.changed) {
  const changes = changesSinceRelease(["provider", "sdk"]);
  if (!changes) {
    console.log("mutations: NOT JUDGED: this clone has no history, so that nobody knows what changed");
    process.exit();
  }
  console.log(`mutations of what changed since ${changes.since}`);
  const { lines } = changes;
  partsOf = (files) => files.flatMap((file) => (lines.get(file) ?? []).map((range) => `${file}:${range}`));
}

async function breakModule(mutate: string[], tests: readonly string[]): Promise<MutantResult[]> {
  process.env["MUTATION_TESTS"] = tests.join(" ");
  return new Stryker({
    mutate,
    testRunner: "vitest",
    // processes, not threads: Node.js aborts if a thread ends while it reads HTTP/2, as Pulumi's SDK does (nodejs/node#38418), and
    // takes the runner with it
    vitest: { configFile: "test/mutations/vitest.config.ts", related: false, pool: "forks" },
    coverageAnalysis: "perTest",
    concurrency: Number(values.concurrency),
    // the contents of the copy that is broken; files that are ignored elsewhere are left out
    ignorePatterns: [
      "**",
      "!package.json",
      "!tsconfig.json",
      // texts that the product reads as the build made them
      "!dist/provider/publishing/download/downloadWriter.js",
      "!dist/provider/base/runtime/files/checkFiles.js",
      "!dist/provider/publishing/search/browser/*",
      "!provider/**",
      "!sdk/**",
      "!test/**",
      "!examples/reference-service/**",
      "!examples/self-hosted/chart/**",
      "!docs/reference/doctor.md",
    ],
    tempDirName: ".work/mutations",
    reporters: ["clear-text"],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
  }).runMutationTest();
}

const row = (
  name: string,
  { mutants, noticed, excluded, unjudged, percent }: Score,
  minutes?: number,
): string =>
  [
    name.padEnd(36),
    mutants === 0 ? "nothing".padStart(8) : `${percent.toFixed(1)} %`.padStart(8),
    `${noticed.toString()} of ${mutants.toString()}`.padStart(12),
    minutes === undefined ? "" : `${minutes.toFixed(1)} min`.padStart(8),
    excluded > 0 ? `${excluded.toString()} excluded` : "",
    unjudged > 0 ? `${unjudged.toString()} not judged` : "",
  ]
    .join("  ")
    .trimEnd();

const minutesSince = (startedAt: number): number => (performance.now() - startedAt) / 60_000;
const startedAt = performance.now();
const table: string[] = [];
const results: MutantResult[] = [];
const failed: string[] = [];
for (const name of modules) {
  const { files, tests } = MODULES.get(name) ?? { files: [], tests: [] };
  const mutate = [...partsOf(files)];
  if (mutate.length === 0) continue;
  const moduleStartedAt = performance.now();
  console.log(`\nmodule ${name}`);
  const found = await breakModule(mutate, tests).catch((error: unknown): MutantResult[] => {
    console.error(error); // such as a test that fails before any break
    failed.push(name);
    return [];
  });
  results.push(...found);
  const score = scoreOf(found, files);
  if (score.percent < LEAST_SCORE) failed.push(name);
  table.push(row(name, score, minutesSince(moduleStartedAt)));
  for (const file of files) {
    const own = scoreOf(found, [file]);
    if (own.mutants > 0) table.push(row(`  ${file}`, own));
  }
}

console.log("\nscore                                          breaks noticed by a test");
for (const line of table) console.log(line);
const whole = scoreOf(
  results,
  results.map(({ fileName }) => fileName),
);
console.log(row("all", whole, minutesSince(startedAt)));
console.log(
  failed.length > 0
    ? `mutation score: FAILED, below what is needed: ${failed.join(", ")}`
    : `mutation score: each module that was judged has at least ${LEAST_SCORE.toString()} %`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
