import { basename, dirname } from "node:path/posix";
import { type Remedy, refusal, shown } from "../archive/refusal";
import type { SiteTree } from "./siteTree";

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
