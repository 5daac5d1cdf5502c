// Before each command: installs what the lock file says, unless that is what is installed, and builds.
import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";

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

// npm ci builds at its end
run(isInstalled() ? "npm run --silent build" : "npm ci --no-audit --no-fund --loglevel=error");
