// `npm run test:mutations`: breaks modules in every way that Stryker knows, and counts how many breaks a test notices.
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { scoreOf, type Score } from "./score.ts";

/** What is broken: the files of `provider/` that make up a subject. */
const SUBJECTS: Record<string, readonly string[]> = {
  retry: ["retryPolicy"],
  waiter: ["waiter", "jobWait", "pollSchedule", "remainingTime", "lookHistory"],
  redaction: ["redaction"],
  expiry: ["bundleLink", "serviceClock", "deadline"],
};
/** The least part of the breaks that the tests must notice, of each subject, in percent. */
const LEAST_SCORE = 85;

const { positionals } = parseArgs({ allowPositionals: true });
const subjects = positionals.length > 0 ? positionals : Object.keys(SUBJECTS);
const filesOf = (subject: string): string[] => {
  const names = SUBJECTS[subject];
  if (!names) throw new Error(`no subject ${subject}: there are ${Object.keys(SUBJECTS).join(", ")}`);
  return names.map((name) => `provider/${name}.ts`);
};

const startedAt = performance.now();
const mutants = await new Stryker({
  mutate: subjects.flatMap(filesOf),
  testRunner: "vitest",
  vitest: { configFile: "test/mutations/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // what the copy that is broken consists of; what is ignored elsewhere is left behind
  ignorePatterns: ["**", "!package.json", "!tsconfig.json", "!provider/**", "!test/**"],
  tempDirName: ".work/mutations",
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
}).runMutationTest();

const row = (name: string, { mutants, noticed, excluded, percent }: Score): string =>
  [
    name.padEnd(30),
    `${percent.toFixed(1)} %`.padStart(8),
    `${noticed.toString()} of ${mutants.toString()}`.padStart(11),
    excluded > 0 ? `${excluded.toString()} excluded` : "",
  ]
    .join("  ")
    .trimEnd();

let failed = false;
console.log("\nscore                             breaks noticed by a test");
for (const subject of subjects) {
  const files = filesOf(subject);
  const score = scoreOf(mutants, files);
  failed ||= score.percent < LEAST_SCORE;
  console.log(row(subject, score));
  if (files.length > 1) for (const file of files) console.log(row(`  ${file}`, scoreOf(mutants, [file])));
}
const all = scoreOf(mutants, subjects.flatMap(filesOf));
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
console.log(row(`all, in ${minutes} minutes`, all));
console.log(
  `mutation score: ${failed ? "FAILED, a subject is" : "each subject is"} ${failed ? "below" : "at least"} ${LEAST_SCORE.toString()} %`,
);
process.exitCode = failed ? 1 : 0;
