// Before each command: installs what the lock file says, unless that is what is installed, and builds.
import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname ?? ".", "..");
const run = (command) => execSync(command, { cwd: root, stdio: "inherit" });

/** What npm installed last, which it notes beside the packages, or what it is to install: by path, without this project. */
function packagesOf(lockFile) {
  try {
    const { "": project, ...packages } = JSON.parse(readFileSync(join(root, lockFile), "utf8")).packages;
    return packages;
  } catch {
    return {};
  }
}

function isInstalled() {
  const wanted = packagesOf("package-lock.json");
  const installed = packagesOf("node_modules/.package-lock.json");
  const isAsWanted = (path) => installed[path]?.integrity === wanted[path]?.integrity;
  return (
    // packages for other machines are optional
    Object.keys(wanted).every((path) => isAsWanted(path) || (wanted[path].optional && !installed[path])) &&
    Object.keys(installed).every(isAsWanted)
  );
}

if (isInstalled()) run("npm run --silent build");
else run("npm ci --no-audit --no-fund --loglevel=error"); // builds at its end
