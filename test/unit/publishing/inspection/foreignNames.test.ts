// Names that only some file systems hold: they are published, and counted.
import { expect, test } from "vitest";
import { isNotOnWindows } from "../../../../provider/publishing/archives/entryName.ts";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { inspected, unpacked } from "../archives/bundleOnDisk.ts";

test.each([
  ...["console.html", "auxiliary", "com.html", "com10", "lpt", "xcon", "conin", "prn-1", "a.con", "conout"],
  ...["a b.c", ".a", "..a", "é"],
])("Windows stores %s", (name) => {
  expect(isNotOnWindows(name)).toBe(false);
});

test.each([
  ...[
    "con",
    "PRN.txt",
    "aux",
    "Nul.",
    "com0",
    "COM9.html",
    "com¹",
    "lpt³ x",
    "CONIN$",
    "conout$.a",
    "con .html",
  ],
  ...["a.", "a ", "a<", ">", "a:b", '"', "a|b", "page?id=1", "a*"],
])("Windows does not store %s", (name) => {
  expect(isNotOnWindows(name)).toBe(true);
});

const PAIRS = [
  ["Guide.html", "guide.html"],
  ["FOLDER/index.html", "folder/index.html"],
  ["caf\u00e9.html", "cafe\u0301.html"],
  ["É", "e\u0301"],
  ["Σ\u03c3.html", "σ\u03c2.html"],
  ["s.html", "\u017f.html"],
  ["strasse.html", "stra\u00dfe.html"],
];

test.each(PAIRS)("%s and %s are published beside each other, and doubted", async (one, other) => {
  const entries = [...SITE, { name: one, content: "one" }, { name: other, content: "other" }].filter(
    ({ name }, index, all) => all.findLastIndex((each) => each.name === name) === index,
  );
  const files = await unpacked(tarGz(entries));
  expect(files).toMatchObject({ [one]: "one", [other]: "other" });
  const { doubtfulNames } = await inspected(
    zip(entries.map(({ name, content = "" }) => ({ name, content }))),
  );
  const doubted = [...doubtfulNames].flatMap(([folder, names]) =>
    [...names].map((name) => `${folder}/${name}`),
  );
  const top = (path: string): string => `./${path.split("/")[0] ?? ""}`;
  expect(doubted).toEqual(expect.arrayContaining([top(one), top(other)]));
});

test("names that Windows cannot unpack are counted, below the site's root", async () => {
  const names = [
    "index.html",
    "drawtext(_:at:).json",
    "API/a.html",
    "api/b.html",
    "Api/A.html",
    "aux/x.html",
    "é",
    "e\u0301",
  ];
  const { notOnWindows, doubtfulNames } = await inspected(
    tarGz([...names.map((name) => ({ name: `site/${name}` })), { name: "serve.js" }, { name: "start.sh" }]),
  );
  expect(notOnWindows).toEqual(["drawtext(_:at:).json", "Api/A.html", "aux/x.html"]);
  expect(doubtfulNames).toEqual(
    new Map([["", new Set(["drawtext(_:at:).json", "API", "api", "Api", "aux", "é", "e\u0301"])]]),
  );
});

test("a site with ordinary names is not doubted, and a name of more than 140 bytes is", async () => {
  expect((await inspected(tarGz(SITE))).doubtfulNames.size).toBe(0);
  const long = "ü".repeat(71);
  const { doubtfulNames, notOnWindows } = await inspected(
    zip([...SITE, { name: `folder/${long}` }].map(({ name }) => ({ name }))),
  );
  expect(doubtfulNames).toEqual(new Map([["folder", new Set([long])]]));
  expect(notOnWindows).toEqual([]);
});
