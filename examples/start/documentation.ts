// The documentation of this project as the source of a site: the documents that the package contains, under the addresses that readers see.
import { globSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Where documents are in the site, if not at their own path. The first match counts. */
const PLACES: readonly (readonly [pattern: RegExp, place: string])[] = [
  [/^README\.md$/, "index.md"],
  [/^docs\/README\.md$/, "contents.md"],
  [/^docs\//, ""],
  [/^provider\/service\/README\.md$/, "reference/api.md"],
  [/^test\/bench\/README\.md$/, "figures.md"],
  [/^CHANGELOG\.md$/, "changelog.md"],
];

/** Lists the pages. The navigation of the site has its order. */
const CONTENTS = "docs/README.md";

const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "docs/**/*.md",
  "examples/**/README.md",
  "provider/service/README.md",
  "test/bench/README.md",
];

/** Documents for those who change the project. */
const OWN_DOCUMENTS = ["examples/reference-service/**", "examples/**/node_modules/**"];

/** Files that a page may show. */
const MEDIA = ["docs/**/*.{svg,png}"];

/** Links and sources of images, in Markdown and in its HTML. */
const LINK = /(?<=\]\()[^)\s]+(?=\))|(?<=\b(?:src|srcset|href)=")[^"]+(?=")/g;

export interface DocumentationOptions {
  /** Receives the documents. */
  folder: string;
  /**
   * Address of the repository's files, without a slash at its end. Links to files that are no pages lead there; without it they are plain
   * text.
   */
  filesUrl?: string | undefined;
}

/** Writes the source of the site. */
export async function writeDocumentation({ folder, filesUrl }: DocumentationOptions): Promise<void> {
  const options = { cwd: ROOT, exclude: OWN_DOCUMENTS };
  const documents = globSync(DOCUMENTS, options).map(toPosix).sort();
  const media = globSync(MEDIA, options).map(toPosix).sort();
  const known = new Set([...documents, ...media]);
  const order = [CONTENTS, ...(await linkedDocuments(CONTENTS))];

  for (const file of media) {
    await mkdir(dirname(join(folder, placeOf(file))), { recursive: true });
    await copyFile(join(ROOT, file), join(folder, placeOf(file)));
  }
  for (const document of documents) {
    const target = join(folder, placeOf(document));
    const text = await readFile(join(ROOT, document), "utf8");
    const position = order.lastIndexOf(document);
    const frontMatter = position === -1 ? "" : `---\norder: ${position}\n---\n`;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(
      target,
      frontMatter + outsideCode(text, (part) => relinked(part, document, known, filesUrl)),
    );
  }
}

function placeOf(path: string): string {
  const [pattern, place] = PLACES.find(([candidate]) => candidate.test(path)) ?? [];
  return pattern === undefined || place === undefined ? path : path.replace(pattern, place);
}

/** The documents that a document links to, in the order of their last links: a page may also be named before its own place. */
async function linkedDocuments(document: string): Promise<string[]> {
  const text = await readFile(join(ROOT, document), "utf8");
  const paths = [...text.matchAll(LINK)].map(([link]) => pathOf(link, document)[0]);
  return paths.filter((path) => path !== undefined);
}

/** Changes a text outside of its blocks of code. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

function relinked(
  text: string,
  document: string,
  known: ReadonlySet<string>,
  filesUrl: string | undefined,
): string {
  const linked = text.replace(LINK, (link) => {
    const [path, anchor] = pathOf(link, document);
    if (path === undefined) return link;
    if (known.has(path)) return posix.relative(posix.dirname(placeOf(document)), placeOf(path)) + anchor;
    return filesUrl === undefined ? NOWHERE : `${filesUrl}/${path}${anchor}`;
  });
  return linked.replace(new RegExp(`\\[([^\\]]*)\\]\\(${NOWHERE}\\)`, "g"), (_, label: string) => label);
}

/** Stands for the target of a link that becomes plain text. */
const NOWHERE = "nowhere:";

/** The file that a link leads to, from the root of the repository; undefined for other hosts and for the document itself. */
function pathOf(link: string, document: string): [path: string | undefined, anchor: string] {
  const [, file = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  if (file === "" || /^[a-z]+:/.test(file)) return [undefined, anchor];
  const path = posix.join(posix.dirname(document), file).replace(/\/$/, "");
  return [path, anchor];
}

const toPosix = (path: string): string => path.replaceAll("\\", "/");
