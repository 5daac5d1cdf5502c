// Which parts of an index a question loads, also at large sites.
import { describe, expect, test } from "vitest";
import { ask, type Asked } from "./askedIndex.ts";

describe("what is loaded for a question", () => {
  /** A site whose words fill many files. */
  const texts = Object.fromEntries(
    Array.from({ length: 150 }, (_, page) => [
      `page${page + 100}`,
      Array.from({ length: 60 }, (__, number) => `w${((page * 61 + number * 17) % 5_000) + 10_000}`).join(
        " ",
      ),
    ]),
  );
  const wordFiles = ({ loaded }: Asked): number => loaded.filter((key) => key.startsWith("words-")).length;

  test("is a small part of the index", async () => {
    const asked = await ask(texts, "w10017");
    expect(asked.paths).not.toEqual([]);
    expect(wordFiles(asked)).toBeGreaterThan(0);
    expect(wordFiles(asked)).toBeLessThanOrEqual(3);
    expect(asked.loaded.filter((key) => key.startsWith("text-")).length).toBeLessThanOrEqual(10);
  });

  test("has each word, whichever file it is in", async () => {
    const words = Object.values(texts).flatMap((text) => text.split(" "));
    for (let at = 0; at < words.length; at += 599) {
      const word = words[at] ?? "";
      const { paths } = await ask(texts, `${word} x`);
      expect(
        paths.slice(0, 1).map((path) => texts[path]?.split(" ").includes(word)),
        word,
      ).toEqual([true]);
    }
  });

  test("is one file for each of more than three words", async () => {
    expect(wordFiles(await ask(texts, "w10017 w11000 w12003 w13010"))).toBeLessThanOrEqual(4 + 4);
  });

  test("are at most five files to correct a word, beside those that may have it", async () => {
    const asked = await ask(texts, "w1zz17");
    expect(asked.paths).toEqual([]);
    expect(wordFiles(asked)).toBeLessThanOrEqual(3 + 5);
  });
});

describe("words of most pages of a large site", () => {
  const pages = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, number) => [
        `p${number + 1_000}`,
        `${number < count * 0.8 ? "commit " : ""}${number % 3 < 2 ? "often " : ""}x${number}y`,
      ]),
    );

  test("are not looked for beside others, and found alone", async () => {
    const both = await ask(pages(200), "x7y commit");
    expect(both.paths).toEqual(["p1007"]);
    const alone = await ask(pages(200), "commit");
    expect(alone.paths).toHaveLength(10);
  });

  test("are looked for in a small site", async () => {
    expect((await ask(pages(90), "x7y commit")).paths.length).toBeGreaterThan(1);
  });

  test("lead to 200 pages at least, those with the most of it", async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 500 }, (_, number) => [
        `p${number + 1_000}`,
        `${"often ".repeat(number === 499 ? 9 : 1)}x${number}y ${number < 250 ? "rest" : "word"}`,
      ]),
    );
    texts["q"] = "other";
    expect((await ask(texts, "often")).paths[0]).toBe("p1499");
  });
});
