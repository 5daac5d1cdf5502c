// A site of the size at which an index leaves things out, always the same: what its index is, and what questions find in it. The
// quality of the order was measured (`npm run bench -- search`): another order needs another measurement.
import { expect, test } from "vitest";
import { search } from "../../../../provider/site/search/browser/query.ts";
import { TextIndex, type Section } from "../../../../provider/site/search/textIndex.ts";
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
  expect(indexedSite().list.key).toBe("lang-en-c0de3a002f2e67");
});

/** For each question the pages, with the sections that fit best. */
const FOUND = {
  vacuum: "p78 p171 p164 p158 p308 p309#s1 p161 p147 p131 p226",
  vacuums: "p161 p147 p404 p26 p164 p78 p44#s1 p340 p158 p131",
  vaccum: "p78 p164 p171 p158 p308 p309#s1 p418 p226 p373 p131",
  "proxy network": "p27#s1 p176 p197 p59 p387 p139#s3 p170 p172 p32 p349",
  "network proxy": "p27#s1 p197 p59 p176 p387 p139#s3 p170 p172 p32 p349",
  backup: "p107 p173#s2 p160 p416#s2 p1 p125 p142#s3 p232 p288 p352",
  "back up": "p153#s1 p271 p160#s1 p148#s1 p151#s1 p274 p77 p107#s3 p173#s2 p416#s2",
  installation: "p114#s2 p161 p100 p154 p43#s1 p406 p74 p125 p284 p381",
  "install proxy": "p259#s1 p100 p148#s1 p114#s2 p154 p74 p76 p125 p284 p381",
  "the schema of": "p260 p153#s3 p397#s1 p184 p383#s1 p282 p98 p28 p171 p185",
  the: "p190 p214 p229 p231#s1 p281#s1 p357#s2 p64#s2 p87#s2 p89#s1 p111",
  configuring: "p237#s1 p38 p261 p297 p145#s1 p302#s1 p280 p57 p23#s1 p232",
  "configurator pasword": "p46 p81#s1 p264#s1 p82#s1 p208#s2 p80#s1 p272 p241#s3 p376 p355#s1",
  max_cache_table: "p375 p114#s1 p208#s3 p61 p392 p23 p91 p374 p261 p396#s1",
  maxTableVacuum: "p300 p316 p163 p180 p215 p318 p146#s1 p152#s2 p239 p240",
  "restoreVacuums the": "p335 p151#s1 p180 p192 p264#s1 p122#s1 p367#s2 p371#s2 p275#s1 p48#s1",
  v3: "p20 p390#s1 p157#s1 p227#s1 p388#s1 p282 p412#s1 p335 p66#s1 p70#s1",
  "v39 storage": "p134 p165#s1 p195 p379 p172#s1 p113#s1 p120 p133#s1 p182 p277",
  sched: "p382 p94#s1 p333 p346#s2 p56#s2 p286 p326#s1 p397#s1 p184 p154",
  "monitor the query cache table": "p75#s1 p241 p180 p339#s1 p160#s1 p13 p30 p220 p226 p370",
  設定: "p353 p240 p247 p124 p245 p184 p292 p334 p102 p181",
  "ネット c++": "p398#s1 p181#s1 p313#s3 p102 p11 p279 p140 p375 p377#s1 p121",
  "uberall encrypted": "p36#s2 p138 p404 p293#s3 p406 p41 p367 p134 p243 p225",
  "migrater replica schemas": "p171 p9 p1 p286#s2 p280 p311#s1 p145#s2 p132 p100 p194#s2",
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
