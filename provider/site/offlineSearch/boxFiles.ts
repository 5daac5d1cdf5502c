import { ownText } from "../../runtime/files/ownText";
import type { SearchOptions } from "./options";
import { contentId, IMMUTABLE, type IndexFile } from "../search/textIndex";

/** The folder of the box in the package, as the build bundles it for browsers. */
const BOX = "dist/provider/site/search/browser";

/** The search boxes of known generators, which need a server or a service that an offline copy does not have. */
const KNOWN_BOXES = [
  ".DocSearch-Button", // Docusaurus, VitePress
  "#local-search button",
  ".navbar__search-input",
  "#search-bar-entry", // Mintlify
  "#search-bar-entry-mobile",
  ".md-search__input", // Material for MkDocs
  "label[for=__search]",
  '[data-bs-target="#mkdocs_search_modal"]', // MkDocs
  '[data-target="#mkdocs_search_modal"]',
  "#rtd-search-form input", // MkDocs, Sphinx
  "#searchbox input",
  "form.sidebar-search-container input",
  '[role="search"] input:not([type=checkbox])',
  '[role="search"] button',
];

/** The files of the search box. @param languages the directory of each language's index */
export function boxFiles(
  { button = true, shortcuts = true, openFrom = [] }: SearchOptions,
  languages: readonly (readonly [language: string, key: string])[],
): IndexFile[] {
  const [box, style] = [ownText(`${BOX}/box.js`), ownText(`${BOX}/box.css`)];
  const boxName = `box-${IMMUTABLE}${contentId(box)}.js`;
  const styleName = `box-${IMMUTABLE}${contentId(style)}.css`;
  const settings = {
    button,
    shortcuts,
    openFrom: [...KNOWN_BOXES, ...openFrom],
    box: boxName,
    style: styleName,
    languages,
  };
  return [
    { name: boxName, text: box },
    { name: styleName, text: style },
    {
      name: "load.js",
      text: `self.docsHostingSearchSettings=${asciiJson(settings)};\n${ownText(`${BOX}/load.js`)}`,
    },
    { name: "icon.svg", text: ownText(`${BOX}/icon.svg`) },
    { name: "index.html", text: ownText(`${BOX}/index.html`) },
  ];
}

/** Pages in any encoding can load it. */
function asciiJson(content: unknown): string {
  return JSON.stringify(content).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
