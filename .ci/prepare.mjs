// At the beginning of each command: installs what the lock file says, unless that is what is installed, and builds, unless
// dist is newer than its sources.
import { execSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";

const run = (command) => execSync(command, { stdio: "inherit" });

/** Packages by their path: those that npm is to install, or, as it notes beside them, those that it installed. */
function packagesOf(lockFile) {
  try {
    return Object.entries(JSON.parse(readFileSync(lockFile, "utf8")).packages);
  } catch {
    return []; // nothing is installed
  }
}

function isInstalled() {
  const wanted = new Map(packagesOf("package-lock.json"));
  const installed = new Map(packagesOf("node_modules/.package-lock.json"));
  wanted.delete(""); // the project itself
  const isAsWanted = (path) => installed.get(path)?.integrity === wanted.get(path)?.integrity;
  return (
    // packages for other machines are optional
    [...wanted].every(([path, { optional }]) => isAsWanted(path) || (optional && !installed.has(path))) &&
    [...installed.keys()].every(isAsWanted)
  );
}

/** Also after a file was removed: its folder has changed then. */
function isBuilt() {
  const below = (folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`);
  const sources = ["tsconfig.json", "sdk", "provider", ...below("sdk"), ...below("provider")];
  const changedAt = (path) => statSync(path).mtimeMs;
  return (
    existsSync("node_modules/pulumi-docs-hosting") &&
    existsSync("dist/sdk/index.js") &&
    Math.max(...sources.map(changedAt)) < changedAt("dist/sdk/index.js")
  );
}

// npm ci builds at its end; npm pack --dry-run has its commands run dry, too
if (!isInstalled()) run("npm ci --no-dry-run --no-audit --no-fund --loglevel=error");
else if (!isBuilt()) run("npm run --silent build");
