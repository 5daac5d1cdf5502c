// Before and after `npm pack` and `npm publish`: removes the script `prepare` from the packed package.json. Users who install
// from a registry do not need it, and npm would ask them to approve it. Clones, and installations from git, are built by it.
import { readFileSync, writeFileSync } from "node:fs";

const MANIFEST = "package.json";
const SCRIPTS = '  "scripts": {\n';
const PREPARE = '    "prepare": "npm run build",\n';

const text = readFileSync(MANIFEST, "utf8");
const isThere = text.includes(SCRIPTS + PREPARE);
if (process.argv[2] === "before") {
  if (!isThere && text.includes('"prepare"')) {
    throw new Error(`${MANIFEST}: prepare is not as this file knows it`);
  }
  writeFileSync(MANIFEST, text.replace(PREPARE, ""));
} else if (!isThere) {
  writeFileSync(MANIFEST, text.replace(SCRIPTS, SCRIPTS + PREPARE));
}
