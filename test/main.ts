// `npm test -- SUITE`: runs a suite of `suites.ts`, by default `unit`. More arguments are the files to run and options of vitest; with
// `--short`, only the part that `.ci/run` runs.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { SUITES } from "./suites.ts";

const VITEST = join(import.meta.dirname, "../node_modules/vitest/vitest.mjs");
const given = process.argv.slice(2);

if (given.includes("--help")) {
  const width = Math.max(...Object.keys(SUITES).map((name) => name.length));
  console.log("npm test -- [SUITE] [--short] [FILE…]\n");
  for (const [name, { what }] of Object.entries(SUITES)) console.log(`  ${name.padEnd(width)}  ${what}`);
} else {
  const [first = "-"] = given;
  const isSuite = Object.hasOwn(SUITES, first);
  if (isSuite || first.startsWith("-") || isPartOfTestFile(first)) {
    process.exitCode = await runSuite((isSuite && given.shift()) || "unit");
  } else {
    console.error(
      `Neither a suite nor a test file is named ${first}. Suites: ${Object.keys(SUITES).join(", ")}`,
    );
    process.exitCode = 1;
  }
}

/** Whether vitest would find a test file by this text: a part of its path, with or without a line number. */
function isPartOfTestFile(text: string): boolean {
  const part = text.replace(/^\.\//, "").replace(/:\d+$/, "");
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  return files.some(
    (file) =>
      file.endsWith(".test.ts") &&
      ["test", import.meta.dirname].map((folder) => join(folder, file)).some((path) => path.includes(part)),
  );
}

async function runSuite(name: string): Promise<number> {
  const { run, env, files = [], short = files } = SUITES[name] ?? SUITES["unit"] ?? { run: "" };
  const isShort = given.includes("--short");
  // `npm test -- SUITE -- FILE` passes the second `--` on, after which vitest would read no file's name
  const args = given.filter((argument) => argument !== "--short" && argument !== "--");
  // of a program's own options, only vitest's begin with a dash
  const named = args.some((argument) => !argument.startsWith("-"));
  const chosen = (isShort ? short : files).map((file) => join(import.meta.dirname, file));
  const all = named ? args : [...chosen, ...args];
  const path = join(import.meta.dirname, run);
  const command = run.endsWith(".config.ts") ? [VITEST, "run", "--config", path, ...all] : [path, ...all];
  const child = spawn(process.execPath, command, {
    stdio: "inherit",
    env: { ...process.env, ...env, ...(isShort && { SHORT: "true" }) },
  });
  // Ctrl-C reaches the suite as well: wait for its end
  process.on("SIGINT", () => undefined).on("SIGTERM", () => child.kill());
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
