import { basename, dirname, join } from "node:path/posix";
import { type Remedy, refusal, shown } from "../archive/refusal";
import type { SiteTree } from "./siteTree";

/** Which part of a bundle is the site. Paths are those of the archive. */
export interface SiteRoot {
  /** The folder with the start page, without a slash at the end; empty for the archive's own root. */
  readonly root: string;
  /** Files that are not published: they start the site on a reader's own computer, or describe how. */
  readonly leftOut: readonly string[];
}

// `find_root` of the chart's fetch-bundle.sh has the same rules.
/** Names of files that start a site. */
const STARTS = /^(?:[Ss]tart|[Ss]erve|[Ll]aunch|[Oo]pen|[Rr]un|[Vv]iew|[Pp]review)/;
/** Extensions of launch files and start programs. */
const LAUNCHES = /\.(?:command|bat|cmd|sh|ps1|desktop|js|mjs|cjs|py)$/;
/** Extensions of launch files, which a desktop opens. */
const DESKTOP = /\.(?:command|bat|cmd)$/;
/** Extensions of start programs, which a launch file names. */
const PROGRAM = /\.(?:js|mjs|cjs|py)$/;
/** Further files that an exporter puts beside the folder of the site. */
const COMPANION = /^(?:README|LICENSE|NOTICE)(?:\.md|\.txt)?$|^package\.json$/;

/** Maximum depth of the site: in a folder of the archive's only folder. */
const MAX_DEPTH = 3;
/** Longest launch file that is read, in bytes, and how many are read. */
const LONGEST_LAUNCH_FILE = 64 * 1024;
const MAX_LAUNCH_FILES = 16;

/** Finds the site in a bundle, and the files of an exporter beside it, after all entries were seen. */
export class SiteRootFinder {
  /** The content of launch files. */
  readonly #launchFiles = new Map<string, string>();
  /** The size of each file that may be left out. */
  readonly #sizes = new Map<string, number>();

  /** Reads the content of a launch file. */
  async see(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = basename(path);
    if (path.split("/").length > MAX_DEPTH || !(LAUNCHES.test(name) || COMPANION.test(name))) return;
    this.#sizes.set(path, size);
    if (!(STARTS.test(name) && DESKTOP.test(name))) return;
    if (size > LONGEST_LAUNCH_FILE || this.#launchFiles.size >= MAX_LAUNCH_FILES) return;
    this.#launchFiles.set(path, Buffer.concat(await Array.fromAsync(content)).toString("latin1"));
  }

  /**
   * The site is where `index.html` is: at the archive's top; in the only folder there; or in the only folder beside launch files,
   * at the top or in the only folder there. `undefined` if it is nowhere.
   */
  find(tree: SiteTree): SiteRoot | undefined {
    const leftOut: string[] = [];
    let root = "";
    for (const level of [1, 2]) {
      if (tree.hasFile(join(root, "index.html"))) break;
      const { files, folders } = tree.childrenOf(root);
      const [folder] = folders;
      if (folder === undefined || folders.length > 1) return undefined;
      const isLaunched = files.some(startsSite);
      const areAllOfExporter = files.every((path) => startsSite(path) || COMPANION.test(basename(path)));
      const isAlone = level === 1 && files.length === 0;
      if (!isAlone && !(isLaunched && areAllOfExporter)) return undefined;
      leftOut.push(...files);
      root = folder;
    }
    if (!tree.hasFile(join(root, "index.html"))) return undefined;
    return { root, leftOut: [...leftOut, ...this.#launchersIn(root)] };
  }

  /** Size of a file that is left out, in bytes. */
  sizeOf(path: string): number {
    return this.#sizes.get(path) ?? 0;
  }

  /**
   * The launch files in the site's own folder, and the programs there that they name. Without a launch file that names it, a
   * program is a file of the site.
   */
  #launchersIn(root: string): string[] {
    const inFolder = [...this.#sizes.keys()].filter((path) => path === join(root, basename(path)));
    const programs = inFolder.filter((path) => PROGRAM.test(path));
    const found = new Set<string>();
    for (const path of inFolder) {
      const text = this.#launchFiles.get(path);
      if (text === undefined) continue;
      for (const program of programs.filter((each) => text.includes(basename(each)))) {
        found.add(path);
        found.add(program);
      }
    }
    return [...found];
  }
}

function startsSite(path: string): boolean {
  return STARTS.test(basename(path)) && LAUNCHES.test(path);
}

/** Start pages of other names: web servers need a setting for them. */
const OTHER_NAMES = ["index.htm", "index.shtml", "index.xhtml", "index.xht"];

/** The refusal of an archive that has no start page where one is looked for: it names one that is elsewhere. */
export function noStartPage(tree: SiteTree): Error {
  const exported = "Check that the domain has pages, and export the site again.";
  const refused = (further: string, packed: string): Error => {
    const remedy: Remedy = { exported, packed };
    return refusal(
      `has no index.html, neither at the top nor in its only top-level folder${further}`,
      remedy,
    );
  };
  const [start] = tree.filesNamed("index.html");
  const other = start ?? OTHER_NAMES.flatMap((name) => tree.filesNamed(name))[0];
  if (other === undefined) {
    return refused("", "Pack the content of the folder with the pages: `tar -czf site.tar.gz -C FOLDER .`.");
  }
  const folder = dirname(other);
  if (/\.xht(?:ml)?$/i.test(other)) return refused(`, only «${shown(other)}»`, leadTo(other));
  if (!other.endsWith("index.html")) {
    const rename = `Name the start page index.html: it is «${shown(other)}».`;
    return refused(`, only «${shown(other)}»`, rename);
  }
  const pack = `Pack the content of ${shown(folder)}/: \`tar -czf site.tar.gz -C ${quoted(folder)} .\`.`;
  return refused(`, only «${shown(other)}»`, pack);
}

/** A start page in XHTML keeps its name: other pages lead to it, and a browser reads it as XML only then. */
function leadTo(page: string): string {
  const folder = dirname(page) === "." ? "FOLDER" : quoted(dirname(page));
  const html = `<meta http-equiv="refresh" content="0; url=${encodeURIComponent(basename(page))}">`;
  return `Add an index.html that leads there: \`echo '${html}' > ${folder}/index.html && tar -czf site.tar.gz -C ${folder} .\`.`;
}

/** A path as a shell reads it. */
function quoted(path: string): string {
  const text = shown(path);
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
