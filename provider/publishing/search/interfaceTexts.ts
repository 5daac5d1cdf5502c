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

/** Both written forms of Norwegian have the same texts. */
const SAME: Readonly<Record<string, string>> = { nb: "no", nn: "no" };

/** The texts for each of these languages that has some. */
export function interfaceTexts(languages: Iterable<string>): Map<string, InterfaceTexts> {
  const lists = listsOf("interface");
  const texts = new Map<string, InterfaceTexts>();
  for (const language of languages) {
    const list = lists.get(SAME[language] ?? language);
    if (list === undefined) continue;
    const lines = list.trim().split("\n");
    const [button = "", startPage = "", needsScripts = ""] = lines.slice(BOX_TEXTS);
    texts.set(language, { box: lines.slice(0, BOX_TEXTS), button, startPage, needsScripts });
  }
  return texts;
}

const BOX_TEXTS = 5;
