import { listsOf } from "./languageWords";

/** The texts of the search box and of the search's own page in one language. */
export interface InterfaceTexts {
  /** Those of the box, in its order: search, nothing found for, failure, results, close. */
  readonly box: readonly string[];
  /** The name of the button of each page. */
  readonly button: string;
  readonly startPage: string;
  readonly needsScripts: string;
}

/** Both written forms of Norwegian have the same texts; some systems write the old name of Hebrew or Indonesian. */
const SAME: Readonly<Record<string, string>> = { in: "id", iw: "he", nb: "no", nn: "no" };
/** What pages of a language may need, too: those of a single variant have the index of the bare language. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = { zh: ["zh-hant"] };

/** The texts for each of these languages that has some. */
export function interfaceTexts(languages: Iterable<string>): Map<string, InterfaceTexts> {
  const lists = listsOf("interface");
  const texts = new Map<string, InterfaceTexts>();
  const wanted = [...languages].flatMap((language) => [language, ...(VARIANTS[language] ?? [])]);
  for (const language of wanted) {
    const list = lists.get(SAME[language] ?? language);
    if (list === undefined) continue;
    const lines = list.trim().split("\n");
    const [button = "", startPage = "", needsScripts = ""] = lines.slice(BOX_TEXTS);
    texts.set(language, { box: lines.slice(0, BOX_TEXTS), button, startPage, needsScripts });
  }
  return texts;
}

const BOX_TEXTS = 5;
