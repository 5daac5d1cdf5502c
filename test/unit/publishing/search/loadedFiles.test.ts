// Which files of an index the search box loads for a question: a reader waits for each of them.
import { expect, test } from "vitest";
import { search } from "../../../../provider/publishing/search/browser/query.ts";
import { writeLines, writePostings } from "../../../../provider/publishing/search/wordLines.ts";

/**
 * An index whose files of words are these. Each word is in a page of its own, and each file of texts has two pages.
 *
 * @returns the words of the pages that are found, and the files that are loaded, each once and by the first word in it
 */
async function ask(
  query: string,
  wordFiles: readonly (readonly string[])[],
  common = "",
): Promise<{ found: string[]; words: string[]; texts: string[] }> {
  const all = wordFiles.flat();
  const loaded: string[] = [];
  const pagesFrom = (page: number): unknown[] =>
    all.slice(page, page + 2).map((word) => [`T ${word}`, `${word}.html`, word, [["", "", word]]]);
  const contents = new Map<string, unknown>([
    [
      "list",
      [
        all.length,
        wordFiles.flatMap(([first = ""]) => [first, `-${first}`]),
        [...all.keys()].filter((page) => page % 2 === 0).flatMap((page) => [page, `-${all[page] ?? ""}`]),
        common,
        "",
        "",
        "",
      ],
    ],
    ...wordFiles.map((words): [string, unknown] => [
      `words-c0de-${words[0] ?? ""}`,
      writeLines(
        words.map((word) => ({ word, postings: writePostings([{ page: all.indexOf(word), score: 35 }]) })),
      ),
    ]),
    ...all.map((word, page): [string, unknown] => [`text-c0de-${word}`, pagesFrom(page)]),
  ]);
  const load = (key: string): Promise<unknown> => {
    loaded.push(key);
    return Promise.resolve(contents.get(key));
  };
  const results = await search(query, "list", load);
  const of = (kind: string): string[] =>
    [...new Set(loaded)].filter((key) => key.startsWith(kind)).map((key) => key.slice(kind.length));
  return { found: results.map(({ path }) => path), words: of("words-c0de-"), texts: of("text-c0de-") };
}

const files = (...words: string[]): string[][] => words.map((word) => [word]);
const CONFIGURED = files(
  ...["alpha", "configa", "configur", "configurable", "configured", "configurex", "configury", "confine"],
);

test("of a word the file that can have it is loaded first, and then the nearest with other forms", async () => {
  const wanted = async (query: string): Promise<string[]> => (await ask(query, CONFIGURED)).words;
  expect(await wanted("configured 7")).toEqual(["configured", "configurable", "configurex"]);
  expect(await wanted("configurex 7")).toEqual(["configurex", "configured", "configury"]);
});

test.for([
  ["alphabet", ["alpha", "beta", "gamma"], ["alpha"]],
  ["betas", ["alpha", "bet", "betas", "gamma"], ["betas", "bet", "alpha"]],
  ["betas", ["alpha", "bet", "betasa", "gamma"], ["bet", "betasa", "alpha"]],
  ["zeta", ["alpha", "beta", "gamma"], ["gamma"]],
  ["alphabet", ["alphabets", "beta"], ["alphabets"]],
  ["aaa", ["beta"], []],
] as const)(
  "of %s in files from %j on, those that can have its beginning or the rest after a shorter word are loaded: %j",
  async (row) => {
    const [query, firsts, expected] = row;
    expect((await ask(query, files(...firsts))).words).toEqual(expected);
  },
);

const NUMBERED = files(..."abcdefgh".split("").map((letter) => `word${letter}`));

test("of up to three words three files each are loaded, of more words one each", async () => {
  const wanted = async (query: string): Promise<number> => (await ask(query, NUMBERED)).words.length;
  expect(await wanted("wordc 7")).toBe(3);
  expect(await wanted("wordc 7 8")).toBe(3);
  expect(await wanted("wordc 7 8 9")).toBe(1);
});

test("of a word of three letters one file is loaded, because it has no other forms, unless it may be unfinished", async () => {
  const short = files("log", "loga", "logb", "logc");
  expect((await ask("log 7", short)).words).toEqual(["log"]);
  expect((await ask("7 log", short)).words).toEqual(["log", "loga", "logb"]);
  const long = files("logs", "logsa", "logsb", "logsc");
  expect((await ask("logs 7", long)).words).toEqual(["logs", "logsa", "logsb"]);
});

test("of two words that may be one, the file of that one is loaded, too", async () => {
  const { words, found } = await ask("back up", files("back", "backup", "backups", "up"));
  expect([...words].sort()).toEqual(["back", "backup", "backups", "up"]);
  expect(found).toEqual(expect.arrayContaining(["back", "up", "backup"]));
  const online = await ask("on line 7", files("line", "on", "online", "onlinea", "onlineb"));
  expect(online.words.sort()).toEqual(["line", "on", "online"]);
});

test("to correct a word, five files at most that begin with its first two letters are loaded", async () => {
  const wanted = async (query: string): Promise<string[]> => (await ask(query, NUMBERED)).words;
  expect(await wanted("owrdd 7")).toEqual([]);
  expect(await wanted("wodrd 7")).toEqual(["worda", "wordb", "wordc", "wordd", "worde"]);
  expect((await ask("wodrd 7", NUMBERED)).found).toEqual(["wordd"]);
});

test("of the pages that are shown, the files of texts that have them are loaded", async () => {
  const texts = async (query: string): Promise<string[]> => (await ask(query, NUMBERED)).texts;
  expect(await texts("worda 7 8 9")).toEqual(["worda"]);
  expect(await texts("wordb 7 8 9")).toEqual(["worda"]);
  expect(await texts("wordg 7 8 9")).toEqual(["wordg"]);
  expect(await texts("wordh 7 8 9")).toEqual(["wordg"]);
});

test("an index whose files do not belong together is an error", async () => {
  const load = (key: string): Promise<unknown> =>
    Promise.resolve(
      { list: [9, ["alpha", "1"], [0, "2"], "", "", "", ""], "words-c0de1": "0alpha iZ", "text-c0de2": [] }[
        key
      ],
    );
  await expect(search("alpha", "list", load)).rejects.toThrow("the index has no such page");
});
