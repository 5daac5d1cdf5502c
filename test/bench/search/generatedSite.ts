import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { serialize } from "../../../examples/reference-service/site/htmlTree.ts";
import { readMarkdownPage } from "../../../examples/reference-service/site/markdownPage.ts";
import { runGenerator } from "../../foreignSites/builtSite.ts";
import { runCommand } from "../../programs/commands.ts";

/** Documentation in Markdown that a package of npm contains, and the generator that makes a site of it. */
interface Source {
  readonly generator: "nextjs" | "docusaurus";
  readonly package: string;
  /** A folder of the package, and its parts that belong to the site. Default: all. */
  readonly folder: string;
  readonly parts?: readonly string[];
  /** Puts the documents into the generator's folder. @param documents the unpacked folder */
  readonly write: (documents: string, paths: readonly string[], folder: string) => Promise<void>;
}

/** By the name of their questions. */
export const GENERATED: Readonly<Record<string, Source>> = {
  nextjs: { generator: "nextjs", package: "next@16.4.5", folder: "dist/docs", write: writeForNext },
  docusaurus: {
    generator: "docusaurus",
    package: "@mastra/mcp-docs-server@1.2.27",
    folder: ".docs",
    parts: ["docs", "reference"],
    write: writeForDocusaurus,
  },
};

/** Builds a site as its own generator exports it. @param target an empty folder */
export async function generateSite(name: string, target: string, say: (what: string) => void): Promise<void> {
  const source = GENERATED[name];
  if (source === undefined) throw new Error(`there is no site ${name}`);
  say(`building the site ${name}, which takes some minutes, once`);
  const folder = await mkdtemp(`${target}.sources-`);
  try {
    await cp(join(import.meta.dirname, source.generator), folder, { recursive: true });
    const packed = join(folder, "packed");
    await mkdir(packed);
    const [file = ""] = (await runCommand("npm", ["pack", "--silent", source.package], { cwd: packed }))
      .trim()
      .split("\n");
    await runCommand("tar", ["--extract", "--file", file], { cwd: packed });
    const documents = join(packed, "package", source.folder);
    const paths = (await readdir(documents, { recursive: true }))
      .filter((path) => /\.mdx?$/.test(path))
      .filter((path) => source.parts?.some((part) => path.startsWith(`${part}/`)) ?? true)
      .sort();
    await source.write(documents, paths, folder);
    await rm(packed, { recursive: true });
    await rename(await runGenerator(source.generator, folder), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Documents of the older router that only name one of the newer: both have its text, but each leaves out what is not its own. */
async function writeForNext(documents: string, paths: readonly string[], folder: string): Promise<void> {
  const pages = [];
  for (const path of paths) {
    const isOlder = path.startsWith("02-pages/");
    const own = await readFile(join(documents, path), "utf8");
    const [, named] = /^source: (\S+)$/m.exec(own) ?? [];
    const shared = paths.find((other) => named !== undefined && addressOf(other) === `docs/${named}`);
    const body = shared === undefined ? own : await readFile(join(documents, shared), "utf8");
    const draft = join(folder, "draft.md");
    await writeFile(
      draft,
      body
        .replace(isOlder ? /<AppOnly>.*?<\/AppOnly>/gs : /<PagesOnly>.*?<\/PagesOnly>/gs, "")
        .replace(/\{\/\*.*?\*\/\}/gs, ""),
    );
    const { tree, title, description } = await readMarkdownPage(folder, "draft.md");
    pages.push({ path: addressOf(path), title, description, html: serialize(tree) });
    await rm(draft);
  }
  await writeFile(join(folder, "content.json"), JSON.stringify(pages));
}

/** `01-app/02-guides/analytics` is the page `docs/app/guides/analytics`; the index of a folder has the address of the folder. */
function addressOf(path: string): string {
  const names = path.replace(/\.mdx?$/, "").split("/");
  const plain = ["docs", ...names.map((name) => name.replace(/^\d+-/, ""))];
  return (plain.at(-1) === "index" ? plain.slice(0, -1) : plain).join("/");
}

/** The package puts a remark for programs before each document, which the site does not have. */
async function writeForDocusaurus(
  documents: string,
  paths: readonly string[],
  folder: string,
): Promise<void> {
  for (const path of paths) {
    const copy = join(folder, "docs", path);
    await mkdir(dirname(copy), { recursive: true });
    const text = await readFile(join(documents, path), "utf8");
    await writeFile(copy, text.replace(/^(?:>[^\n]*\n+)+/, ""));
  }
}
