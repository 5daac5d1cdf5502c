import { expect, test } from "vitest";
import { indexLanguages } from "../../../../provider/publishing/offlineSearch/languages.ts";

/** The index of each page. @param pages `path language` */
function languages(...pages: string[]): string[] {
  const read = pages.map((page) => {
    const [path = "", language = ""] = page.split(" ");
    return { path, language };
  });
  return read.map(indexLanguages(read));
}

test.for([
  ["one variant is its language", ["a.html pt-br", "b.html pt-br"], ["pt", "pt"]],
  ["two variants have an index each", ["br/a.html pt-br", "pt/a.html pt-pt"], ["pt-br", "pt-pt"]],
  ["also beside each other", ["a.cn.html zh-cn", "a.tw.html zh-tw"], ["zh-cn", "zh-tw"]],
  [
    "a variant and the bare language in other folders, too",
    ["pt-br/a.html pt-br", "a.html pt"],
    ["pt-br", "pt"],
  ],
  ["a variant and the bare language in one folder are one", ["a.html en", "b.html en-us"], ["en", "en"]],
  [
    "pages without a language belong to the most frequent one",
    ["a.html ", "b.html de", "c.html de", "d.html fr"],
    ["de", "de", "de", "fr"],
  ],
  [
    "also of the variants",
    ["a.html ", "x/b.html zh-tw", "y/c.html zh-cn", "y/d.html zh-cn"],
    ["zh-cn", "zh-tw", "zh-cn", "zh-cn"],
  ],
  ["a site may state none", ["a.html ", "b.html "], ["", ""]],
] as const)("%s", ([, pages, expected]) => expect(languages(...pages)).toEqual(expected));
