import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { unpackDebianPackages } from "../programs/debianPackages.ts";

export const NPM = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
/**
 * For a site with more than a thousand packages: what its exact versions led to at a date is the same at any time, without a lock file
 * of 17,000 lines.
 */
export const NPM_OF_DATE = [
  ...["npm", "install", "--before=2026-11-01", "--no-package-lock", "--ignore-scripts"],
  ...["--no-audit", "--no-fund", "--loglevel=error"],
];
export const VENV = ["python3", "-m", "venv", "venv"];
export const PIP = [
  "venv/bin/pip",
  "install",
  "--quiet",
  "--disable-pip-version-check",
  "-r",
  "requirements.txt",
];

interface Generator {
  /** Packages of Debian, which are unpacked to the folder `root` first. */
  readonly packages?: readonly string[];
  /** Run one after the other, in a copy of the sources. */
  readonly commands: readonly (readonly string[])[];
  /** Further commands that these need. */
  readonly needs?: readonly string[];
  /** The folder of its output. */
  readonly output: string;
}

/** Each has its own source folder here, except one that was built by others. */
const GENERATORS = {
  nextjs: { commands: [NPM, ["npm", "run", "build"]], output: "out" },
  docusaurus: { commands: [NPM_OF_DATE, ["npm", "run", "build"]], output: "build" },
  vitepress: { commands: [NPM, ["npm", "run", "build"]], output: ".vitepress/dist" },
  mkdocs: { commands: [VENV, PIP, ["venv/bin/mkdocs", "build", "--quiet"]], output: "site" },
  material: { commands: [VENV, PIP, ["venv/bin/mkdocs", "build", "--quiet"]], output: "site" },
  sphinx: {
    commands: [VENV, PIP, ["venv/bin/sphinx-build", "-q", "-D", "exclude_patterns=venv", ".", "html"]],
    output: "html",
  },
  // YARD's own documentation: like jazzy's it has pages beside folders of their names, and unlike that it is in a package. Debian
  // replaces files of it by symbolic links
  yard: {
    packages: ["yard-doc", "libjs-jquery"],
    commands: [["cp", "-rL", "root/usr/share/doc/yard/doc", "site"]],
    needs: ["apt-get", "dpkg-deb"],
    output: "site",
  },
  javadoc: {
    packages: ["libjsoup-java-doc"],
    commands: [["cp", "-rL", "root/usr/share/doc/libjsoup-java/api", "site"]],
    needs: ["apt-get", "dpkg-deb"],
    output: "site",
  },
  doxygen: { commands: [["doxygen"]], output: "html" },
  mike: { commands: [VENV, PIP, ["sh", "build.sh"]], needs: ["git"], output: "deployed" },
  // packages as a CDN has them, for sites that load them
  cdn: { commands: [["sh", "fetch.sh"]], output: "packages" },
  // names like those of Swift DocC, which is in no package of these registries
  symbols: { commands: [VENV, PIP, ["venv/bin/mkdocs", "build", "--quiet"]], output: "site" },
} satisfies Record<string, Generator>;

export type SiteName = keyof typeof GENERATORS;

export const SITE_NAMES = Object.keys(GENERATORS) as SiteName[];

/** The sites that can be built here: some need Python, Doxygen, git or Debian. */
export function buildableSites(): SiteName[] {
  return SITE_NAMES.filter((name) => {
    const { commands, needs = [] }: Generator = GENERATORS[name];
    const used = [...needs, ...commands.map(([command = ""]) => command)];
    return used.every((command) => command.includes("/") || findCommand(command));
  });
}

/** Variables with which the generators report nothing to anybody. */
export const QUIET = {
  NEXT_TELEMETRY_DISABLED: "1",
  DOCUSAURUS_NO_TELEMETRY: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  CI: "1",
};
/** Of commits. */
export const NOBODY = {
  GIT_AUTHOR_NAME: "nobody",
  GIT_AUTHOR_EMAIL: "nobody@example.com",
  GIT_COMMITTER_NAME: "nobody",
  GIT_COMMITTER_EMAIL: "nobody@example.com",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

/** A site as its own generator exports it, not rendered by this project. Built once, and again after a change of its sources. */
export async function buildSite(name: SiteName, say: (what: string) => void): Promise<string> {
  const sources = join(import.meta.dirname, name);
  const hasSources = existsSync(sources);
  const version = hasSources ? await digestOf(sources) : "of-debian";
  const site = join(await cacheFolder("foreign-sites"), `${name}-${version}`);
  if (existsSync(site)) return site;
  say(`building the site ${name}, which takes a minute or two, once`);
  const folder = await mkdtemp(`${site}.draft-`);
  try {
    if (hasSources) await cp(sources, folder, { recursive: true });
    await rename(await runGenerator(name, folder), site);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return site;
}

/** Runs the generator of a site in a folder with sources for it. @returns the folder of its output */
export async function runGenerator(name: SiteName, folder: string): Promise<string> {
  const { packages, commands, output }: Generator = GENERATORS[name];
  for (const file of ["package.json", "package-lock.json"]) {
    const source = join(import.meta.dirname, name, file);
    if (existsSync(source)) await cp(source, join(folder, file));
  }
  if (packages) await unpackDebianPackages(packages, join(folder, "root"));
  const options = { cwd: folder, env: { ...process.env, ...QUIET, ...NOBODY } };
  for (const [command = "", ...args] of commands) await runCommand(command, args, options);
  return join(folder, output);
}

/** A digest of all files of a folder; none is large. */
export async function digestOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const content = await readFile(file);
    hash.update(`${file.slice(folder.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 12);
}
