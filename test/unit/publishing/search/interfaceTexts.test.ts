import { expect, test } from "vitest";
import { interfaceTexts } from "../../../../provider/publishing/search/interfaceTexts.ts";
import { listsOf } from "../../../../provider/publishing/search/languageWords.ts";

const LANGUAGES = [...listsOf("interface").keys()];

test("every language has all texts, each once", () => {
  expect(LANGUAGES.length).toBeGreaterThan(20);
  for (const [language, { box, ...others }] of interfaceTexts(LANGUAGES)) {
    const texts = [...box, ...Object.values(others)];
    expect({ language, texts, count: new Set(texts).size }).toEqual({
      language,
      texts: texts.filter((text) => text !== "" && text.trim() === text),
      count: 8,
    });
  }
});

test("a list of texts ends with the last one", () => {
  const lines = [...listsOf("interface")].map(([language, list]) => [
    language,
    list.trim().split("\n").length,
  ]);
  expect(lines.filter(([, count]) => count !== 8)).toEqual([]);
});

test("another name of a language has its texts", () => {
  const texts = interfaceTexts(["nb", "no", "iw"]);
  expect(texts.get("nb")).toEqual(texts.get("no"));
  expect(texts.get("iw")).toEqual(interfaceTexts(["he"]).get("he"));
});
