// What the documents of the repository (Markdown) promise to readers who follow them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import GithubSlugger from "github-slugger";
import MarkdownIt from "markdown-it";

const ROOT = join(import.meta.dirname, "..");
const markdown = new MarkdownIt();

export interface Document {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly lines: number;
  /** Links without a host, as they are written. */
  readonly links: readonly string[];
  /** The anchors of its headings, as code hosts make them. */
  readonly anchors: ReadonlySet<string>;
  /** Texts in backticks, and each line of a block of code. */
  readonly code: readonly string[];
  /** Texts in backticks. */
  readonly names: readonly string[];
  /** Its blocks of TypeScript: programs, or parts of them. */
  readonly programs: readonly string[];
  /** Its blocks of Python. */
  readonly python: readonly string[];
  /** Its blocks of YAML: programs, workflows, parts of files. */
  readonly yaml: readonly string[];
  /** Its blocks of shell commands. */
  readonly scripts: readonly string[];
}

/** Every file of the repository: those in git, and new ones that it does not ignore. */
export function repositoryFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  // git lists a deleted file until the deletion is committed
  return listed.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

/** @param folder with which the path begins */
export function readDocument(path: string, folder = ROOT): Document {
  const text = readFileSync(join(folder, path), "utf8");
  const tokens = markdown.parse(text, {});
  const parts = tokens.flatMap(({ children }) => children ?? []);
  const names = parts.filter(({ type }) => type === "code_inline").map(({ content }) => content);
  const blocks = tokens.filter(({ type }) => type === "fence" || type === "code_block");
  const blocksOf = (language: string): string[] =>
    blocks.filter(({ info }) => info === language).map(({ content }) => content);
  const slugger = new GithubSlugger();
  const headings = tokens.flatMap(({ type }, index) => {
    const inline = type === "heading_open" ? tokens[index + 1] : undefined;
    return inline ? [(inline.children ?? []).map(({ content }) => content).join("")] : [];
  });
  return {
    path,
    lines: text.trimEnd().split("\n").length,
    links: parts
      .flatMap((part) => part.attrGet("href") ?? part.attrGet("src") ?? [])
      .map(String)
      .filter((link) => !/^[a-z]+:/.test(link)),
    anchors: new Set(headings.map((heading) => slugger.slug(heading))),
    code: [...names, ...blocks.map(({ content }) => content)].flatMap((text) => text.trimEnd().split("\n")),
    names,
    programs: blocksOf("ts"),
    python: blocksOf("python"),
    yaml: blocksOf("yaml"),
    scripts: blocksOf("sh"),
  };
}
