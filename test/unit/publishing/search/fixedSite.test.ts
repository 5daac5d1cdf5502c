// A site of the size at which an index leaves things out, always the same: what its index is, and what questions find in it. The
// quality of the order was measured (`npm run bench -- search`): another order needs another measurement.
import { expect, test } from "vitest";
import { search } from "../../../../provider/publishing/search/browser/query.ts";
import type { Section } from "../../../../provider/publishing/search/sections.ts";
import { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";
import { seededRandom } from "../../../simulation/seededRandom.ts";
import { indexFiles } from "./indexFiles.ts";

const PAGES = 420;
const NOUNS = [
  ...["backup", "cache", "cluster", "index", "log", "network", "password"],
  ...["proxy", "query", "replica", "schema", "storage", "table", "vacuum"],
];
const VERBS = [
  "cancel",
  "configur",
  "encrypt",
  "install",
  "migrat",
  "monitor",
  "restor",
  "schedul",
  "upgrad",
];
const OTHERS = ["back up", "set up", "ネットワーク設定", "überall", "C++"];

/** The files of the index. The first words of each list are more frequent than the last ones. */
function indexedSite(): ReturnType<typeof indexFiles> {
  const random = seededRandom(7);
  const below = (count: number): number => Math.floor(random() * count);
  const oneOf = (words: readonly string[]): string => words[below(words.length)] ?? "";
  const firstOf = (words: readonly string[]): string => words[Math.floor(random() ** 2 * words.length)] ?? "";
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const kinds = [
    () => firstOf(NOUNS),
    () => `${firstOf(NOUNS)}s`,
    () => firstOf(VERBS) + oneOf(["e", "es", "ed", "ing", "ation", "ator"]),
    () => `max_${firstOf(NOUNS)}_${oneOf(NOUNS)}`,
    () => `${firstOf(VERBS)}${capital(firstOf(NOUNS))}`,
    () => oneOf([...OTHERS, `v${below(40)}`]),
    () => "the",
    () => "of",
  ];
  const words = (count: number): string =>
    Array.from({ length: count }, () => kinds[below(kinds.length)]?.()).join(" ");

  const index = new TextIndex();
  for (let page = 0; page < PAGES; page++) {
    const sections = Array.from({ length: 1 + below(4) }, (_, at): Section => {
      return { anchor: at === 0 ? "" : `s${at}`, heading: words(2), text: words(5 + below(50)) };
    });
    if (page % 100 === 50) sections.push({ anchor: "long", heading: "Ω", text: words(2_500) });
    index.add(`p${page}/index.html`, capital(words(1 + below(3))), sections);
  }
  return indexFiles(index, "en");
}

test("the index of a large fixed site is this one: with another, SEARCH_VERSION must be increased", () => {
  expect(indexedSite().list.key).toBe("lang-en-c0def883667c04");
});

/** For each question the pages, with the sections that fit best. */
const FOUND = {
  vacuum: "p164#s2 p78 p308 p309#s1 p418 p171 p131 p158 p226 p373",
  vacuums: "p161 p26 p404#s1 p147 p340 p186 p78 p296#s2 p400 p330#s2",
  vaccum: "p78 p164#s2 p308 p309#s1 p158 p131 p418 p171 p226 p373",
  "proxy network": "p27#s1 p197 p387 p139#s3 p176 p59 p349#s1 p172 p307 p170",
  "network proxy": "p27#s1 p197 p387 p139#s3 p59 p349#s1 p176 p172 p307 p170",
  backup: "p107#s3 p142#s3 p232 p160#s1 p173#s2 p416#s2 p1 p125 p352 p288",
  "back up": "p153#s1 p274 p195 p271 p151#s1 p148#s1 p13 p174 p77 p184",
  installation: "p114#s2 p76 p161 p43#s1 p100 p406 p181#s1 p223#s2 p74 p272#s2",
  "install proxy": "p100 p227#s1 p148#s1 p259#s1 p284 p76 p154 p74 p125 p381",
  "the schema of": "p260 p383#s1 p397#s1 p153#s3 p28 p98 p184 p282 p185 p171",
  the: "p229 p231#s1 p214 p357#s2 p281#s1 p87#s2 p190 p64#s2 p89#s1 p111",
  configuring: "p237#s1 p261 p38#s1 p297#s1 p369 p232 p267 p280 p157#s2 p5#s1",
  "configurator pasword": "p208#s2 p264#s1 p355#s1 p81#s1 p46 p80#s1 p376 p82#s1 p272 p290#s1",
  max_cache_table: "p375 p114#s1 p208#s3 p61 p374 p392 p91 p23 p396#s1 p261",
  maxTableVacuum: "p300 p316 p180 p163 p215 p318 p239 p240 p146#s1 p152#s2",
  "restoreVacuums the": "p335 p151#s1 p180 p192 p264#s1 p122#s1 p367#s2 p371#s2 p275#s1 p48#s1",
  v3: "p20 p390#s1 p388#s1 p227#s1 p157#s1 p282 p412#s1 p335 p66#s1 p70#s1",
  "v39 storage": "p134 p195 p379 p165#s1 p172#s1 p113#s1 p120 p133#s1 p182 p277",
  sched: "p382 p94#s1 p397#s1 p56#s2 p326#s1 p153#s3 p333 p98#s1 p184 p286#s2",
  "monitor the query cache table": "p30 p220 p127#s2 p39 p94#s1 p160#s1 p21 p224#s3 p323#s1 p370",
  設定: "p353 p240 p247 p124 p245 p292 p184 p334 p181 p102",
  "ネット c++": "p398#s1 p279 p375 p181#s1 p140 p313#s3 p377#s1 p11 p121#s2 p102",
  "uberall encrypted": "p36#s2 p138 p293#s2 p367 p406 p134 p243 p41 p215#s1 p55#s1",
  "migrater replica schemas": "p9 p1#s3 p171 p286#s2 p64#s1 p132 p100 p311#s1 p170 p280",
  p77: "p77",
  "qqq index": "",
};

test("what questions find in a large fixed site, and in which order", async () => {
  const { list, parts } = indexedSite();
  const load = (key: string): Promise<unknown> => {
    const { text = "" } = [list, ...parts].find((file) => file.key === key) ?? {};
    return Promise.resolve((JSON.parse(/\.push\((.*)\)\n$/s.exec(text)?.[1] ?? "") as unknown[])[1]);
  };
  const found: Record<string, string> = {};
  for (const question of Object.keys(FOUND)) {
    const results = await search(question, list.key, load);
    const addresses = results.map(
      ({ path, anchor }) => path.replace("/index.html", "") + (anchor && `#${anchor}`),
    );
    found[question] = addresses.join(" ");
  }
  expect(found).toEqual(FOUND);
});
