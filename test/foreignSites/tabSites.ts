import { existsSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { runCommand } from "../programs/commands.ts";
import { digestOf, NPM_OF_DATE, PIP, QUIET, VENV } from "./builtSite.ts";

/** For packages that are younger. */
const NPM = NPM_OF_DATE.map((argument) =>
  argument.startsWith("--before=") ? "--before=2026-11-27" : argument,
);
const NPM_BUILD = ["npm", "run", "build"];

interface TabSite {
  /** Its folder in `tabs/`. */
  readonly sources: string;
  readonly commands: readonly (readonly string[])[];
  /** The folder of its output. */
  readonly output: string;
  /** The site's folder in the output. @default the output */
  readonly folder?: string;
  /** Words that other sites do not have. */
  readonly words?: readonly string[];
}

const mkdocs = (program: string): TabSite["commands"] => [VENV, PIP, [`venv/bin/${program}`, "build"]];
const components = { sources: "components", commands: [NPM, NPM_BUILD], output: "site" };

/** Sites with tabs and accordions, as their generators and component libraries make them. Each has the same words. */
export const TAB_SITES = {
  Starlight: { sources: "starlight", commands: [NPM, NPM_BUILD], output: "dist" },
  "Material for MkDocs": {
    sources: "material",
    commands: mkdocs("mkdocs"),
    output: "site",
    words: ["Innertab", "innertext"],
  },
  "sphinx-tabs, sphinx-design": {
    sources: "sphinx",
    commands: [VENV, PIP, ["venv/bin/sphinx-build", "-q", ".", "html"]],
    output: "html",
    words: ["Codetab", "codetext", "Quincetab", "quincetext", "Cherrytab", "cherrytext"],
  },
  VitePress: { sources: "vitepress", commands: [NPM, NPM_BUILD], output: "docs/.vitepress/dist" },
  Docusaurus: { sources: "docusaurus", commands: [NPM, NPM_BUILD], output: "build" },
  "GOV.UK Frontend": { ...components, folder: "govuk", words: ["Cherrysummary", "cherrytext"] },
  Radix: { ...components, folder: "radix" },
  "Material UI": { ...components, folder: "mui" },
  Bootstrap: { ...components, folder: "bootstrap" },
} satisfies Record<string, TabSite>;

export type TabSiteName = keyof typeof TAB_SITES;

export const TAB_SITE_NAMES = Object.keys(TAB_SITES) as TabSiteName[];

/** The words that every site has: of tabs, of an accordion, and of what follows. */
const WORDS = ["Appletab", "appletext", "Peartab", "peartext", "Plumsummary", "plumtext", "aftertext"];

export function wordsOf(name: TabSiteName): string[] {
  const site: TabSite = TAB_SITES[name];
  return [...WORDS, ...(site.words ?? [])];
}

/** A site as its own generator exports it. Built once, and again after a change of its sources. */
export async function buildTabSite(name: TabSiteName, say: (what: string) => void): Promise<string> {
  const { sources, commands, output, folder = "" }: TabSite = TAB_SITES[name];
  const source = join(import.meta.dirname, "tabs", sources);
  const site = join(await cacheFolder("foreign-sites"), `tabs-${sources}-${await digestOf(source)}`);
  if (!existsSync(site)) {
    say(`building the site ${name}, which takes a minute, once`);
    const draft = await mkdtemp(`${site}.draft-`);
    try {
      await cp(source, draft, { recursive: true });
      const options = { cwd: draft, env: { ...process.env, ...QUIET } };
      for (const [command = "", ...args] of commands) await runCommand(command, args, options);
      await rename(join(draft, output), site);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  return join(site, folder);
}
