import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { runCommand } from "../programs/commands.ts";

/** Each has its own source folder here, and writes its output to another. */
const OUTPUTS = { nextjs: "out", docusaurus: "build" };

export type SiteName = keyof typeof OUTPUTS;

export const SITES = Object.keys(OUTPUTS) as SiteName[];

const QUIET = { NEXT_TELEMETRY_DISABLED: "1", DOCUSAURUS_NO_TELEMETRY: "1", CI: "1" };

/** A site as its own generator exports it, not rendered by this project. Built once, and again after a change of its sources. */
export async function buildSite(name: SiteName, say: (what: string) => void): Promise<string> {
  const sources = join(import.meta.dirname, name);
  const site = join(await cacheFolder("foreign-sites"), `${name}-${await digestOf(sources)}`);
  if (existsSync(site)) return site;
  say(`building the site ${name}, which takes a minute or two, once`);
  const folder = await mkdtemp(`${site}.draft-`);
  try {
    await cp(sources, folder, { recursive: true });
    const options = { cwd: folder, env: { ...process.env, ...QUIET } };
    await runCommand(
      "npm",
      ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
      options,
    );
    await runCommand("npm", ["run", "build"], options);
    await rename(join(folder, OUTPUTS[name]), site);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return site;
}

/** All its files; none is large. */
async function digestOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const content = await readFile(file);
    hash.update(`${file.slice(folder.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 12);
}
