// Runs first in each command: installs the packages of the lock file unless they are installed, and builds unless dist is newer
// than its sources.
import { execSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";

const run = (command) => execSync(command, { stdio: "inherit" });

/** Packages by their path: those of the lock file, or those that npm noted as installed. */
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

/** Notices removed files, too: removing a file changes the time of its folder. */
function isBuilt() {
  const below = (folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`);
  const sources = ["tsconfig.json", "sdk", "provider", ...below("sdk"), ...below("provider")];
  const changedAt = (path) => statSync(path).mtimeMs;
  return (
    existsSync("node_modules/pulumi-docs-hosting") &&
    existsSync("dist/sdk/index.js") &&
    existsSync("plugin/plugin.js") &&
    Math.max(...sources.map(changedAt)) < changedAt("dist/sdk/index.js")
  );
}

// npm ci builds at its end; npm pack --dry-run runs its commands dry, too
if (!isInstalled()) run("npm ci --no-dry-run --no-audit --no-fund --loglevel=error");
else if (!isBuilt()) run("npm run --silent build");
