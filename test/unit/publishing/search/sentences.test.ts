// Questions as people type them, on small sites: the words that carry the question decide.
import { describe, expect, test } from "vitest";
import { type Result, search } from "../../../../provider/publishing/search/browser/query.ts";
import { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";
import { indexFiles } from "./indexFiles.ts";

async function ask(
  pages: Readonly<Record<string, string>>,
  query: string,
  language = "en",
): Promise<Result[]> {
  const index = new TextIndex();
  for (const [path, text] of Object.entries(pages)) {
    index.add(path, `T ${path}`, [{ anchor: "", heading: "", text }]);
  }
  const { list, parts } = indexFiles(index, language);
  const load = (key: string): Promise<unknown> => {
    const { text = "" } = [list, ...parts].find((file) => file.key === key) ?? {};
    return Promise.resolve((JSON.parse(/\.push\((.*)\)\n$/s.exec(text)?.[1] ?? "") as unknown[])[1]);
  };
  return search(query, list.key, load);
}
const paths = (results: readonly Result[]): string[] => results.map(({ path }) => path);
const marked = (results: readonly Result[]): string[] =>
  results.flatMap(({ excerpt }) => excerpt.filter(([, isMatch]) => isMatch).map(([text]) => text));

const COMMON = "This is a page of the site that you can read.";
const SMALL = {
  renew: `${COMMON} The link is renewed by the next run. A link is valid for a day.`,
  questions: `${COMMON} How do I ask? How long do I have to wait until somebody answers, and what do I do then?`,
  port: `${COMMON} Start it with the port 4010, and the port 4011 for the second one: 4010, 4010.`,
  status: `${COMMON} The service answers 401 if the key is wrong.`,
  errors: `${COMMON} Message: something else has the name of a copy, move it away.`,
  copies: `${COMMON} A copy has a name. Something has a copy, else another copy has the name, and the copy has a copy.`,
};

describe("a sentence finds the page", () => {
  test.for([
    [
      "by the words that carry the question, however rare the others are in the site",
      "how do I renew the link",
      "renew",
    ],
    ["of a number, rather than of a longer one", "401", "status"],
    ["that has a quoted sentence", "something else has the name of a copy", "errors"],
  ] as const)("%s", async ([, query, expected]) => {
    expect(paths(await ask(SMALL, query))[0]).toBe(expected);
  });

  test.for([
    [
      "de",
      "wie kann ich das Kennwort ändern",
      "Das ist die Seite, auf der man sein Kennwort ändert.",
      "Wie kann ich das tun? Wie kann man das? Wie ist das?",
    ],
    [
      "fr",
      "comment est-ce que je change le mot secret",
      "Ici on change le secret de son compte, et c'est tout.",
      "Comment est-ce que je le sais ? Comment est-ce ?",
    ],
    [
      "es",
      "cómo puedo cambiar la clave",
      "En esta página se cambia la clave de la cuenta.",
      "¿Cómo puedo saber cómo es? ¿Cómo puedo yo?",
    ],
  ] as const)("in the language %s", async ([language, query, right, wrong]) => {
    expect(paths(await ask({ a: wrong, b: right, c: wrong.toUpperCase() }, query, language))[0]).toBe("b");
  });
});

test("articles are not marked, unless the query has nothing else", async () => {
  expect(marked(await ask(SMALL, "renew the link of a page")).map((text) => text.toLowerCase())).not.toEqual(
    expect.arrayContaining(["the"]),
  );
  const alone = await ask(SMALL, "the");
  expect(alone.length).toBeGreaterThan(0);
  expect(new Set(marked(alone).map((text) => text.toLowerCase()))).toEqual(new Set(["the"]));
});

test("the beginning of a longer word is found where the index has no such word", async () => {
  expect(paths(await ask(SMALL, "serv"))).toEqual(["status"]);
});

test("an unfinished number finds the longer ones, a finished one only itself", async () => {
  expect(paths(await ask(SMALL, "40"))).toEqual(expect.arrayContaining(["port", "status"]));
  expect(paths(await ask(SMALL, "4012 service"))).toEqual(["status"]);
});

describe("a sentence in other words than those of the page", () => {
  const page = (title: string): string => `${COMMON} ${title}.`;
  test.for([
    [
      "that mean nearly the same",
      "how do I turn off the cache",
      "Disable the cache",
      "Where the cache is stored",
    ],
    ["of another form", "how do I encrypt a volume", "Encryption of volumes", "The volume of a sound"],
    ["with a doubled letter", "how can I drop a table", "Dropping tables", "The table of contents"],
  ] as const)("%s finds it", async ([, query, right, wrong]) => {
    expect(paths(await ask({ a: page(wrong), b: page(right) }, query))[0]).toBe("b");
  });

  test("is no reason to find them for keywords", async () => {
    expect(paths(await ask({ a: page("Remove it"), b: page("Delete it") }, "delete x"))).toEqual(["b"]);
  });
});

test("a version finds the page with this version, not those with its numbers", async () => {
  const pages = {
    a: `${COMMON} 2 of 4, and 4 of 2.`,
    b: `${COMMON} It came with 2.4.`,
    c: `${COMMON} It came with 4.2.`,
  };
  expect(paths(await ask(pages, "2.4"))).toEqual(["b"]);
});
