// Counts the files that run for a StaticExport alone, from the user's program and from the provider's entry to the HTTP client, and fails
// above the limit: who reads the mission reads these. `--list` names them. Reads the compiled files, so that types do not count.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ENTRIES = ["dist/sdk/staticExport.js", "dist/provider/dynamic.js"];
/** What `dynamic.js` loads for the other resources at once. */
const OTHERS = /\/publications$/;
const MOST_FILES = 60;

const files = new Set();
for (const open = [...ENTRIES]; open.length > 0;) {
  const file = open.pop();
  if (files.has(file)) continue;
  files.add(file);
  for (const [, path] of readFileSync(file, "utf8").matchAll(/\brequire\("(\.[^"]*)"\)/g)) {
    if (ENTRIES.includes(file) && OTHERS.test(path)) continue;
    const target = join(dirname(file), path.replace(/(\.js)?$/, ".js"));
    if (existsSync(target)) open.push(target);
  }
}
if (process.argv.includes("--list")) console.log([...files].sort().join("\n"));
console.log(`a StaticExport is ${files.size} files; the limit is ${MOST_FILES}`);
if (files.size > MOST_FILES) process.exitCode = 1;
