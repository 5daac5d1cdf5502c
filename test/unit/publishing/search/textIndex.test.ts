// What the index of a language is written as.
import { expect, test } from "vitest";
import { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";
import { indexFiles } from "./indexFiles.ts";

const section = (text: string) => ({ anchor: "", heading: "", text });

test("an index without pages is a list of no files", () => {
  const { list, parts } = indexFiles(new TextIndex(), "");
  expect(parts).toEqual([]);
  expect(list.text).toBe(
    `\ufeff(self.docsHostingSearch??=[]).push(["${list.key}",[0,[],[],"",""," d ed es ing s",""]])\n`,
  );
  expect(list.name).toBe(`${list.key}.js`);
  expect(list.key).toMatch(/^lang-und-c0de[0-9a-f]{10}$/);
});

test("the texts of pages are a script of every age", () => {
  const index = new TextIndex();
  index.add("a", "A\u2028B", [section("one\u2029two\u2028three")]);
  const texts = indexFiles(index, "en").parts.map(({ text }) => text);
  expect(texts.join("")).not.toMatch(/[\u2028\u2029]/);
  expect(texts.join("")).toContain("one\\u2029two\\u2028three");
});

test.for([
  [100, 100, ""],
  [101, 101, "101"],
  [102, 51, ""],
  [102, 52, "52"],
] as const)(
  "of %i pages, a word that is in %i has their number behind them: «%s»",
  ([pages, count, number]) => {
    const index = new TextIndex();
    for (let page = 0; page < pages; page++) {
      index.add(`${page + 1_000}`, "", [section(page < count ? "alpha" : "")]);
    }
    const texts = indexFiles(index, "en").parts.map(({ text }) => text);
    expect(/alpha [^" ]+ ?(\d*)"/.exec(texts.join(""))?.[1]).toBe(number);
  },
);

test.for([
  [12_000, "all of it"],
  [12_001, "the beginnings of its sections"],
] as const)("of a page of %i bytes, results can quote %s", ([bytes, quoted]) => {
  const index = new TextIndex();
  index.add("a", "", [section("x".repeat(bytes - 8_000)), section(`${"y".repeat(7_994)}needle`)]);
  const texts = indexFiles(index, "en").parts.filter(({ key }) => key.startsWith("text-"));
  expect(texts.map(({ text }) => text.includes('needle"'))).toEqual([quoted === "all of it"]);
});

test("the files of an index are made one by one: after each of them, others can run", () => {
  const index = new TextIndex();
  for (let page = 0; page < 300; page++) index.add(`p${page}`, "", [section(`word${page} `.repeat(300))]);
  const files = index.files("en", (path) => {
    addressed.push(path);
    return path;
  });
  const addressed: string[] = [];
  let longest = 0;
  for (let next = files.next(), before = 0; next.done !== true; next = files.next()) {
    longest = Math.max(longest, addressed.length - before);
    before = addressed.length;
  }
  expect(addressed).toHaveLength(300);
  expect(longest).toBeLessThan(10);
});
