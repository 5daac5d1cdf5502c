import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * The contents of a folder of Markdown: paths relative to it, with "/" on every system, sorted so that each run has the same
 * order.
 */
export interface SourceFolder {
  readonly root: string;
  /** Markdown files, each of which becomes a page. */
  readonly pages: readonly string[];
  /** Every other file. Only those that a page refers to are exported. */
  readonly otherFiles: ReadonlySet<string>;
}

const MARKDOWN_FILE = /\.(md|markdown)$/i;

/**
 * Lists a folder. Hidden files and `node_modules` are not content. Symbolic links are not followed: an export must not reach
 * outside the folder.
 */
export async function readSourceFolder(root: string): Promise<SourceFolder> {
  const files: string[] = [];
  await listInto(files, root, "");
  files.sort();
  return {
    root,
    pages: files.filter((file) => MARKDOWN_FILE.test(file)),
    otherFiles: new Set(files.filter((file) => !MARKDOWN_FILE.test(file))),
  };
}

async function listInto(files: string[], root: string, folder: string): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await listInto(files, root, path);
    else if (entry.isFile()) files.push(path);
  }
}
