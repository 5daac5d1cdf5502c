// `npm run check`: everything that finds faults without running the code. Stops at the first one.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** Runs a command. @returns whether it succeeded */
const run = (command) =>
  new Promise((resolve) => {
    // as in an npm script: the commands of the packages are on PATH
    spawn(command, { stdio: "inherit", shell: true }).on("exit", (code) => resolve(code === 0));
  });

/** One after the other, up to the first that fails. */
async function inTurn(...commands) {
  for (const command of commands) if (!(await run(command))) return false;
  return true;
}

function hasNoRegistry() {
  if (!/"resolved":/.test(readFileSync("package-lock.json", "utf8"))) return true;
  console.error("package-lock.json names a registry: remove its lines `resolved`");
  return false;
}

const code = async () => {
  const typesAndFormat = [
    "prettier --check .",
    "tsc -p test",
    "tsc -p examples",
    "tsc -p provider/publishing/search/browser",
  ];
  const results = await Promise.all([inTurn(...typesAndFormat), run("eslint .")]);
  return results.every(Boolean);
};

const isClean =
  (await run("npm ci --dry-run --ignore-scripts --no-audit --no-fund --loglevel=error")) &&
  hasNoRegistry() &&
  (await code()) &&
  (await inTurn("node .ci/apiReport.mjs", "publint --strict", "attw --pack ."));
process.exitCode = isClean ? 0 : 1;
