// Before and after `npm pack` and `npm publish`: what is packed has no script `prepare`. Whoever installs the package from a registry
// has no use for it, and npm asks them to approve it; a clone, and whoever installs the package from git, are built by it.
import { readFileSync, writeFileSync } from "node:fs";

const MANIFEST = "package.json";
const SCRIPTS = '  "scripts": {\n';
const PREPARE = '    "prepare": "npm run build",\n';

const text = readFileSync(MANIFEST, "utf8");
const isThere = text.includes(SCRIPTS + PREPARE);
if (process.argv[2] === "before") {
  if (!isThere && text.includes('"prepare"'))
    throw new Error(`${MANIFEST}: prepare is not as this file knows it`);
  writeFileSync(MANIFEST, text.replace(PREPARE, ""));
} else if (!isThere) {
  writeFileSync(MANIFEST, text.replace(SCRIPTS, SCRIPTS + PREPARE));
}
