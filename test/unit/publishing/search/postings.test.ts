import { expect, test } from "vitest";
import { Postings } from "../../../../provider/publishing/search/postings.ts";

test("each word has its own numbers, however many, in the order in which they come", () => {
  const postings = new Postings();
  const expected = new Map<string, number[]>();
  // word 1 with every number, word 2 with every second one …
  for (let entry = 0; entry < 20_000; entry++) {
    for (const word of [1, 2, 3, 7, 500, 1_000, 19_999].filter((each) => entry % each === 0)) {
      const number = 2 ** 32 - 1 - entry;
      postings.add(`word${word}`, number);
      const numbers = expected.get(`word${word}`);
      if (numbers) numbers.unshift(number);
      else expected.set(`word${word}`, [number]);
    }
  }
  expect([...postings.words()].sort()).toEqual([...expected.keys()].sort());
  for (const [word, numbers] of expected) {
    expect([...postings.of(word)]).toEqual(numbers.toReversed());
    expect(postings.countOf(word)).toBe(numbers.length);
  }
  expect([...postings.of("another")]).toEqual([]);
});
