import { packageText } from "../../base/runtime/files/packageText";
import { contentId, IMMUTABLE, type IndexFile } from "../search/dataFile";
import { type InterfaceTexts, interfaceTexts } from "../search/interfaceTexts";
import { textsLanguageOf } from "../search/languageVariants";
import { primaryOf } from "./languages";
import type { SearchOptions } from "./options";

/** The folder of the box in the package, as the build bundles it for browsers. */
const BOX = "dist/provider/publishing/search/browser";

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

/** The index of a language: of most pages first. */
export interface LanguageIndex {
  /** Such as `de` or `pt-br`. */
  readonly language: string;
  /** The language that most of its pages state. */
  readonly variant: string;
  /** The key of its directory. */
  readonly key: string;
  readonly pages: number;
}

/** The files of the search box. */
export function boxFiles(
  { button = true, shortcuts = true, openFrom = [] }: SearchOptions,
  indexes: readonly LanguageIndex[],
): IndexFile[] {
  const texts = interfaceTexts(["en", ...indexes.map(({ language }) => primaryOf(language))]);
  const boxTexts = [...texts].map(([language, { box }]) => [language, box]);
  const labels = [...texts].map(([language, own]) => [language, own.button] as const);
  // with a byte order mark, because regular expressions in it are not ASCII
  const box = `\ufeffself.docsHostingSearchTexts=${asciiJson(Object.fromEntries(boxTexts))};\n${packageText(`${BOX}/box.js`)}`;
  const style = packageText(`${BOX}/box.css`);
  const boxName = `box-${IMMUTABLE}${contentId(box)}.js`;
  const styleName = `box-${IMMUTABLE}${contentId(style)}.css`;
  const settings = {
    button,
    shortcuts,
    openFrom: [...KNOWN_BOXES, ...openFrom],
    box: boxName,
    style: styleName,
    languages: indexes.map(({ language, key }) => [language, key]),
    labels: Object.fromEntries<string>(labels),
  };
  return [
    { name: boxName, text: box },
    { name: styleName, text: style },
    {
      name: "load.js",
      text: `self.docsHostingSearchSettings=${asciiJson(settings)};\n${packageText(`${BOX}/load.js`)}`,
    },
    { name: "icon.svg", text: packageText(`${BOX}/icon.svg`) },
    { name: "index.html", text: ownPage(indexes, texts) },
  ];
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];

/** The search's own page, in the language of most pages. */
function ownPage(indexes: readonly LanguageIndex[], texts: ReadonlyMap<string, InterfaceTexts>): string {
  const [most] = [...indexes].sort((one, other) => other.pages - one.pages);
  const main = textsLanguageOf(most?.variant ?? "");
  const language = texts.has(main) ? main : "en";
  const { box = [], startPage = "", needsScripts = "" } = texts.get(language) ?? {};
  const direction = RIGHT_TO_LEFT.includes(language) ? ' dir="rtl"' : "";
  return packageText(`${BOX}/index.html`)
    .replace('lang="en"', `lang="${language.replace("zh-hant", "zh-Hant")}"${direction}`)
    .replace(">Search<", `>${asciiHtml(box[0] ?? "")}<`)
    .replace(">Start page<", `>${asciiHtml(startPage)}<`)
    .replace(/>The search needs [^<]*</, `>${asciiHtml(needsScripts)}<`);
}

/** Readable in any encoding. */
function asciiHtml(text: string): string {
  return text.replace(/[^\0-\x7e]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
}

/** Pages in any encoding can load it. */
function asciiJson(content: unknown): string {
  return JSON.stringify(content).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
