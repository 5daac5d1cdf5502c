import { expect, test } from "vitest";
import { readPlace, tableOf, writePlaces } from "../../../../provider/publishing/search/placeTable.ts";

type Places = ReadonlyMap<string, number | undefined>;

/** The sections that the tables of a page give its words. */
function sectionsIn(tables: readonly string[], words: Iterable<string>, range: number): unknown[] {
  return Array.from(words, (word) => readPlace(tables[tableOf(word, tables.length)] ?? "", word, range));
}

/** As many words as asked for, in sections that a function gives. */
const placesOf = (count: number, sectionOf: (at: number) => number | undefined): Places =>
  new Map(Array.from({ length: count }, (_, at) => [`w${at * 7_919}`, sectionOf(at)]));

test.for([
  [1, 1],
  [2, 1],
  [3, 7],
  [50, 62],
  [1_000, 399],
  [1_001, 63],
  [60, 10_000],
])("each of %i words has its section of %i", ([count = 0, range = 0]) => {
  const places = placesOf(count, (at) => (at * 31 + 5) % range);
  const tables = writePlaces(places, range);
  expect(sectionsIn(tables, places.keys(), range)).toEqual([...places.values()]);
});

test("a word of many sections has none", () => {
  const places = placesOf(300, (at) => (at % 3 === 0 ? undefined : at % 62));
  expect(sectionsIn(writePlaces(places, 62), places.keys(), 62)).toEqual([...places.values()]);
});

test("all words of one section take no more than a bit each", () => {
  const places = placesOf(900, () => 17);
  const tables = writePlaces(places, 60);
  expect(tables.join("").length).toBeLessThan(900 / 6 + 100);
  expect(sectionsIn(tables, places.keys(), 60)).toEqual([...places.values()]);
});

test("a table takes little more than what the sections of its words tell", () => {
  // half of the words in one section, a quarter in the next one
  const places = placesOf(1_000, (at) => Math.min(59, Math.clz32(Math.imul(at + 1, 0x9e3779b1))));
  const bits = 2 * 1_000;
  expect(writePlaces(places, 60).join("").length).toBeLessThan((1.15 * bits) / 6 + 70);
});

test("a reader of a long page loads a part of its tables for a word", () => {
  const tables = writePlaces(
    placesOf(30_000, (at) => at % 400),
    400,
  );
  expect(tables.length).toBe(30);
  expect(Math.max(...tables.map(({ length }) => length))).toBeLessThan(2_500);
});

test("no words have no table", () => {
  expect(writePlaces(new Map(), 7)).toEqual([]);
});
