// Which words of a site carry no question.
import { expect, test } from "vitest";
import { languageWordsOf } from "../../../../provider/publishing/search/languageWords.ts";
import { wordsOf } from "../../../../provider/publishing/search/words.ts";

/** A site with one page of this text. */
const site = (text: string) => {
  const words = new Set(wordsOf(text).map((word) => word.text));
  return (word: string): number => Number(words.has(word));
};
const ENGLISH = "This is the page that you have to read before it is too late, and it has all of the words.";
const GERMAN =
  "Das ist die Seite, die man lesen muss, bevor es zu spät ist, und sie hat alle Wörter, die wir für sie haben.";
const FRENCH =
  "C'est la page que vous devez lire avant qu'il ne soit trop tard, et elle a tous les mots de ce site.";

test.for([
  ["of its language", "en", ENGLISH, ["the", "a", "how", "do"]],
  ["of its language, also those with accents", "de", GERMAN, ["wie", "fur", "uber", "kann"]],
  ["of the language of its texts, if it states none", "", GERMAN, ["wie", "ist"]],
  ["of the language of its texts, if it states another", "en", FRENCH, ["comment", "pourquoi"]],
  ["of the language of its texts, if it states one without a list", "tlh", ENGLISH, ["how"]],
] as const)("a site's stop words are those %s", ([, language, text, expected]) => {
  expect(languageWordsOf(language, site(text)).stopWords).toEqual(expect.arrayContaining([...expected]));
});

test("a few foreign words do not change the language", () => {
  expect(languageWordsOf("en", site(`${ENGLISH} Die Seite.`)).stopWords).not.toContain("die");
});

test("a site without words has none", () => {
  expect(languageWordsOf("en", () => 0).stopWords).toEqual([]);
});
