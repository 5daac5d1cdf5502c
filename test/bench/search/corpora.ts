import { existsSync } from "node:fs";
import { cp, link, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { renderSite } from "../../../examples/reference-service/index.ts";
import { cacheFolder } from "../../programs/cacheFolder.ts";
import { runCommand } from "../../programs/commands.ts";
import { GENERATED, generateSite } from "./generatedSite.ts";

/** Real documentation: that of the package fastify. */
const FASTIFY = join(import.meta.dirname, "../../../node_modules/fastify/docs");

interface Corpus {
  /** The packages of Debian that contain it. Without any, fastify's documentation. */
  readonly packages: readonly string[];
  /** A folder of the unpacked packages. */
  readonly folder: string;
  /** Of the pages that belong to it; others stay out. */
  readonly pattern?: RegExp;
}

const REFERENCE = "usr/share/debian-reference";

/** Documentation of many generators, by the name of its questions. */
const CORPORA: Readonly<Record<string, Corpus>> = {
  fastify: { packages: [], folder: "" },
  postgresql: { packages: ["postgresql-doc-15"], folder: "usr/share/doc/postgresql-doc-15/html" },
  python: { packages: ["python3.11-doc"], folder: "usr/share/doc/python3.11/html" },
  nodejs: { packages: ["nodejs-doc"], folder: "usr/share/doc/nodejs/api", pattern: /^(?!all\.html)/ },
  "debian-reference-de": language("de", "de"),
  "debian-reference-ja": language("ja", "ja"),
  "debian-reference-zh": language("zh-cn", "zh-cn"),
  django: { packages: ["python-django-doc"], folder: "usr/share/doc/python-django-doc/html" },
  sqlite: { packages: ["sqlite3-doc"], folder: "usr/share/doc/sqlite3" },
  qt: { packages: ["qtbase5-doc-html"], folder: "usr/share/qt5/doc" },
  git: { packages: ["git-doc"], folder: "usr/share/doc/git-doc" },
  borg: { packages: ["borgbackup-doc"], folder: "usr/share/doc/borgbackup/html" },
  flask: { packages: ["python-flask-doc"], folder: "usr/share/doc/python-flask-doc/html" },
  "rust-book": {
    packages: ["rust-doc"],
    folder: "usr/share/doc/rust-doc/html/book",
    // the rest leads to the pages of older editions
    pattern: /^(?:ch\d\d-|appendix-|foreword)/,
  },
  httpd: { packages: ["apache2-doc"], folder: "usr/share/doc/apache2-doc/manual/en" },
  "httpd-fr": { packages: ["apache2-doc"], folder: "usr/share/doc/apache2-doc/manual/fr" },
  "installer-de": {
    packages: ["installation-guide-amd64"],
    folder: "usr/share/doc/installation-guide-amd64/de",
  },
  sphinx: {
    packages: ["sphinx-doc"],
    folder: "usr/share/doc/sphinx-doc/html",
    // the rest is the source of the program
    pattern: /^(?!_modules)/,
  },
  "debian-handbook-es": {
    packages: ["debian-handbook"],
    folder: "usr/share/doc/debian-handbook/html/es-ES",
  },
  pytest: {
    packages: ["python-pytest-doc"],
    folder: "usr/share/doc/python-pytest-doc/html",
    pattern: /^(?!_modules)/,
  },
  scrapy: {
    packages: ["python-scrapy-doc"],
    folder: "usr/share/doc/python-scrapy-doc/html",
    pattern: /^(?!_modules)/,
  },
  drf: {
    packages: ["python-djangorestframework-doc"],
    folder: "usr/share/doc/python3-djangorestframework/html",
  },
  fish: { packages: ["fish-common"], folder: "usr/share/doc/fish" },
  click: {
    packages: ["python-click-doc"],
    folder: "usr/share/doc/python-click-doc/html",
    pattern: /^(?!_modules)/,
  },
  "gimp-fr": {
    packages: ["gimp-help-fr"],
    folder: "usr/share/gimp/2.0/help/fr",
    // the rest are the pages of single filters
    pattern: /^(?!plug-in|gimp-filter|(?:script|python)-fu)/,
  },
  zsh: { packages: ["zsh-doc"], folder: "usr/share/doc/zsh-common/html" },
  exim: { packages: ["exim4-doc-html"], folder: "usr/share/doc/exim4-doc-html/spec_html" },
  sqlalchemy: {
    packages: ["python-sqlalchemy-doc"],
    folder: "usr/share/doc/python-sqlalchemy-doc/html",
    pattern: /^(?!_modules)/,
  },
  libstdc: { packages: ["libstdc++-12-doc"], folder: "usr/share/doc/gcc-12-base/libstdc++" },
};

function language(name: string, ending: string): Corpus {
  const pattern = new RegExp(`\\.${ending}\\.html$`);
  return { packages: [`debian-reference-${name}`], folder: REFERENCE, pattern };
}

/** What the mix consists of, and how many pages it has: of the last part, as many as are missing, the largest first. */
const MIX = ["postgresql", "python", "nodejs", "sqlite", "django", "git", "libstdc"];
const MIX_PAGES = 5_000;

/** Sites with a second list of questions: after the first ones, the ranking was changed. */
const ASKED_AGAIN = ["django", "sqlite", "git", "nextjs", "docusaurus"];

/** Sites whose questions are sentences, as people type them. */
export const SENTENCES: readonly string[] = [
  "borg",
  "flask",
  "rust-book",
  "httpd",
  "httpd-fr",
  "installer-de",
  "sphinx",
  "debian-handbook-es",
  "pytest",
  "scrapy",
  "drf",
  "gimp-fr",
  "fish",
  "click",
];

export const CORPUS_NAMES = [
  ...Object.keys(CORPORA).filter((name) => name !== "libstdc"),
  ...Object.keys(GENERATED),
  ...ASKED_AGAIN.map((name) => `${name}-2`),
  "mix",
];

/**
 * A folder with the site, made once.
 *
 * @param list name of its list of questions
 * @throws if Debian's packages cannot be had here
 */
export async function corpusFolder(list: string, say: (what: string) => void): Promise<string> {
  const name = list.replace(/-2$/, "");
  const folder = join(await cacheFolder("search-corpora"), name);
  if (existsSync(folder)) return folder;
  const draft = await mkdtemp(`${folder}.draft-`);
  try {
    const corpus = CORPORA[name];
    if (name === "mix") await mix(draft, say);
    else if (GENERATED[name] !== undefined) await generateSite(name, draft, say);
    else if (corpus === undefined || corpus.packages.length === 0) {
      await renderSite({ source: FASTIFY, target: draft, name: "Fastify" });
    } else {
      const unpacked = await unpack(corpus.packages, say);
      const source = join(unpacked, corpus.folder);
      const isPart = ({ path }: { path: string }): boolean =>
        (corpus.pattern ?? /./).test(relative(source, path));
      await linkPages((await pagesOf(source)).filter(isPart), source, draft);
    }
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function mix(target: string, say: (what: string) => void): Promise<void> {
  let count = 0;
  for (const name of MIX) {
    const source = await corpusFolder(name, say);
    const pages = (await pagesOf(source)).sort((one, other) => other.size - one.size);
    const taken = pages.slice(0, MIX_PAGES - count);
    count += taken.length;
    await linkPages(taken, source, join(target, name));
  }
}

async function unpack(packages: readonly string[], say: (what: string) => void): Promise<string> {
  const folder = join(await cacheFolder("search-corpora"), `packages-${packages.join("+")}`);
  if (existsSync(folder)) return folder;
  say(`downloading ${packages.join(" ")}`);
  const draft = await mkdtemp(`${folder}.draft-`);
  await runCommand("apt-get", ["update", "-q"]);
  await runCommand("apt-get", ["download", "-q", "-o", "APT::Sandbox::User=root", ...packages], {
    cwd: draft,
  });
  for (const file of await readdir(draft)) {
    await runCommand("dpkg-deb", ["--extract", join(draft, file), draft]);
  }
  await rename(draft, folder);
  return folder;
}

/** All pages below a folder. Two names of one file are one page. */
async function pagesOf(folder: string): Promise<{ path: string; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
}

async function linkPages(pages: readonly { path: string }[], source: string, target: string): Promise<void> {
  for (const { path } of pages) {
    const copy = join(target, relative(source, path));
    await mkdir(dirname(copy), { recursive: true });
    await link(path, copy).catch(() => cp(path, copy));
  }
}
