import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { runCommand } from "./commands.ts";

/** Installed in addition to Debian's essential packages. */
const PACKAGES = ["ca-certificates", "curl", "openssl"];

/** This machine's list of sources of packages. */
const SOURCES = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"];

/**
 * Creates the root folder of a machine with only the packages that every Debian has, once, in the cache folder. Needs root, and
 * `mmdebstrap`.
 *
 * @returns the folder, which must not be changed
 */
export async function prepareBareDebian(say: (what: string) => void): Promise<string> {
  const root = join(await cacheFolder("debian"), ["essential", ...PACKAGES].join("+"));
  if (existsSync(root)) return root;
  say("making the root folder of a bare Debian");
  const folder = await mkdtemp(`${root}.draft-`);
  try {
    const settings = join(folder, "apt.conf");
    await writeFile(settings, await runCommand("apt-config", ["dump", "Acquire"])); // such as a proxy
    const options = ["--mode=root", "--variant=essential", `--include=${PACKAGES.join(",")}`];
    const target = join(folder, "root");
    const release = ""; // as in the sources
    await runCommand("mmdebstrap", [
      ...options,
      `--aptopt=${settings}`,
      release,
      target,
      ...SOURCES.filter(existsSync),
    ]);
    await rename(target, root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return root;
}
