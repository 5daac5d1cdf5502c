// `npm test -- workflows`: actionlint reads the workflows, which only run on GitHub, and those of examples; and the npm scripts
// and suites of tests that they name exist.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NoGoError, prepareActionlint } from "../programs/goPrograms.ts";
import { SUITES } from "../suites.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = ".github/workflows";
/** Workflows that users copy. */
const EXAMPLES = [
  "examples/fleet/actions/docs-fleet.yml",
  "examples/promotion/actions/docs-preview.yml",
  "examples/promotion/actions/docs-promotion.yml",
];
const workflows = [...readdirSync(join(ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`), ...EXAMPLES];
if (workflows.length === EXAMPLES.length) throw new Error(`${FOLDER} is empty`);

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
for (const workflow of workflows) {
  const text = readFileSync(join(ROOT, workflow), "utf8");
  for (const [command, script, suite] of text.matchAll(/npm (?:run ([\w:.-]+)|test -- ([a-z-]+))/g)) {
    if ((script ?? "") in scripts || (suite ?? "") in SUITES) continue;
    say(`${workflow}: \`${command}\`: there is no such script or suite`);
    process.exitCode = 1;
  }
}

try {
  const actionlint = await prepareActionlint(say);
  // the result must not depend on optional commands of the machine
  const args = ["-shellcheck=", "-pyflakes=", ...workflows];
  const { status, error } = spawnSync(actionlint, args, { cwd: ROOT, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exitCode = 1;
  else say(`actionlint has nothing to say of ${workflows.length} workflows`);
} catch (error) {
  if (!(error instanceof NoGoError)) throw error;
  say(`actionlint: NOT RUN: ${error.message}`);
}

function say(what: string): void {
  console.log(`workflows: ${what}`);
}
