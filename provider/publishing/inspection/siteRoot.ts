import { basename, dirname, join } from "node:path/posix";
import { bundleRefusal, shown } from "../archives/refusal";
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

  /** Reads the content of a launch file. */
  async see(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = basename(path);
    if (path.split("/").length > MAX_DEPTH || !STARTS.test(name) || !DESKTOP.test(name)) return;
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
    return { root, leftOut: [...leftOut, ...this.#launchersIn(root, tree)] };
  }

  /**
   * The launch files in the site's own folder, and the programs there that they name. Without a launch file that names it, a
   * program is a file of the site.
   */
  #launchersIn(root: string, tree: SiteTree): string[] {
    const launchers = [...this.#launchFiles].filter(([path]) => path === join(root, basename(path)));
    if (launchers.length === 0) return [];
    const programs = tree.childrenOf(root).files.filter((path) => PROGRAM.test(path));
    const found = launchers.flatMap(([path, text]) => {
      const named = programs.filter((each) => text.includes(basename(each)));
      return named.length === 0 ? [] : [path, ...named];
    });
    return [...new Set(found)];
  }
}

function startsSite(path: string): boolean {
  return STARTS.test(basename(path)) && LAUNCHES.test(path);
}

/** Start pages, those of other names last: web servers need a setting for them. */
const START_PAGES = ["index.html", "index.htm", "index.shtml", "index.xhtml", "index.xht"];

/** The refusal of an archive that has no start page where one is looked for: it names one that is elsewhere. */
export function noStartPage(tree: SiteTree): Error {
  const [other] = START_PAGES.flatMap((name) => tree.filesNamed(name));
  const isWithoutPages = tree.filesWithEnding(/\.(?:html?|shtml|xht(?:ml)?)$/i).length === 0;
  const [archive, ...more] = isWithoutPages ? tree.filesWithEnding(ARCHIVE) : [];
  if (archive !== undefined) return archiveInside(archive, more.length);
  const only = other === undefined ? "" : `, only «${shown(other)}»`;
  return bundleRefusal(`has no index.html, neither at the top nor in its only top-level folder${only}`, {
    exported: "Check that the domain has pages, and export the site again.",
    packed:
      other === undefined
        ? "Pack the content of the folder with the pages: `tar -czf site.tar.gz -C FOLDER .`."
        : howToPublish(other),
  });
}

/** Names of archives, which may have the site in them. */
const ARCHIVE = /\.(?:zip|tar|tgz|tar\.(?:gz|bz2|xz|zst)|7z|rar)$/i;

/**
 * The refusal of an archive whose site is in another archive: Notion and some CI systems pack twice. @param more how many further archives
 */
function archiveInside(archive: string, more: number): Error {
  const others = more === 0 ? "" : ` and ${more} more`;
  return bundleRefusal(`has no pages, but another archive in it: «${shown(archive)}»${others}`, {
    exported: "Report it to the service: it packed the site twice.",
    packed:
      more === 0
        ? "Give that archive itself, or unpack it and pack the folder with the pages: `tar -czf site.tar.gz -C FOLDER .`."
        : "Unpack these into one folder, and pack the folder with the pages: `tar -czf site.tar.gz -C FOLDER .`.",
  });
}

function howToPublish(page: string): string {
  const folder = dirname(page);
  if (/\.xht(?:ml)?$/i.test(page)) {
    // it keeps its name: other pages lead to it, and a browser reads it as XML only then
    const place = folder === "." ? "FOLDER" : quoted(folder);
    const html = `<meta http-equiv="refresh" content="0; url=${encodeURIComponent(basename(page))}">`;
    return `Add an index.html that leads there: \`echo '${html}' > ${place}/index.html && tar -czf site.tar.gz -C ${place} .\`.`;
  }
  if (!page.endsWith("index.html")) return `Name the start page index.html: it is «${shown(page)}».`;
  return `Pack the content of ${shown(folder)}/: \`tar -czf site.tar.gz -C ${quoted(folder)} .\`.`;
}

/** A path as a shell reads it. */
function quoted(path: string): string {
  const text = shown(path);
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
