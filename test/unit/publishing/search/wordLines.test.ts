import { expect, test } from "vitest";
import {
  type Posting,
  readLines,
  readPostings,
  writeLines,
  writePostings,
} from "../../../../provider/publishing/search/wordLines.ts";

test.for([
  ["none", []],
  ["the first page", [{ page: 0, score: 1 }]],
  [
    "near and far ones",
    [0, 1, 27, 54, 700, 1_700, 40_000, 99_999].map((page, at) => ({ page, score: 35 - at })),
  ],
  [
    "each distance up to 40,000",
    Array.from({ length: 280 }, (_, at) => ({ page: (at * (at + 1)) / 2, score: 1 + (at % 35) })),
  ],
] as const)("postings are the same after they were written: %s", ([, postings]) => {
  const text = writePostings(postings as readonly Posting[]);
  expect([...readPostings(text)]).toEqual(postings);
  expect(text).toMatch(/^[a-zA-Z0-9]*$/);
});

test("lines are the same after they were written, whatever their words share", () => {
  const long = "x".repeat(40);
  const words = [
    "a",
    "ab",
    "abc",
    "abd",
    "b",
    "c++",
    "c#",
    "v2.4",
    long,
    `${long.slice(1)}y`,
    "😀a",
    "😁a",
    "ü",
    "都",
  ];
  const lines = words.map((word) => ({ word, postings: "ee" }));
  const common = { word: "the", postings: "eeii", pages: 120 };
  expect(readLines(writeLines([...lines, common]))).toEqual([...lines, common]);
});
