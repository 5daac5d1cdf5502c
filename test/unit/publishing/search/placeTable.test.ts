import { expect, test } from "vitest";
import { readPlace, writePlaces } from "../../../../provider/publishing/search/placeTable.ts";

test.for([
  [1, 1],
  [2, 1],
  [3, 7],
  [50, 62],
  [50, 63],
  [1_000, 399],
  [30_000, 10_000],
])("each of %i words has its section of %i", ([count = 0, sections = 0]) => {
  const places = new Map<string, number>();
  for (let word = 0; word < count; word++) places.set(`w${word * 7_919}`, (word * 31 + 5) % sections);
  const table = writePlaces(places, sections);
  const wrong = [...places].filter(([word, section]) => readPlace(table, word, sections) !== section);
  expect(wrong).toEqual([]);
  expect(table).toMatch(/^[a-zA-Z0-9]*$/);
});

test("a table of sections takes little more than their numbers", () => {
  const places = new Map(Array.from({ length: 10_000 }, (_, word) => [`word${word}`, word % 60]));
  expect(writePlaces(places, 60).length).toBeLessThan(12_400);
});

test("a word of many sections has none", () => {
  const places = new Map([
    ["alpha", 3],
    ["beta", undefined],
    ["gamma", 61],
  ]);
  const table = writePlaces(places, 62);
  expect([...places.keys()].map((word) => readPlace(table, word, 62))).toEqual([3, undefined, 61]);
});

test("the table of no words is empty", () => {
  expect(writePlaces(new Map(), 7)).toBe("");
});
