import { expect, test } from "vitest";
import { piecesOf, sampleOf } from "../../mutations/sample.ts";

const changed = new Map(
  Array.from({ length: 50 }, (_, index): [string, string[]] => [
    `provider/file${index.toString()}.ts`,
    ["1-10", "21-21"], // 11 lines
  ]),
);

test("a sample has whole files within the limit of lines, others for another commit", () => {
  const sample = sampleOf(changed, 100, "a1");
  expect(sample.size).toBe(9);
  for (const [file, lines] of sample) expect(lines).toBe(changed.get(file));
  expect(sampleOf(changed, 100, "a1")).toEqual(sample);
  expect([...sampleOf(changed, 100, "b2").keys()].sort()).not.toEqual([...sample.keys()].sort());
});

test("a sample has all files where they are within the limit", () => {
  expect(sampleOf(changed, 550, "a1")).toEqual(changed);
  expect(sampleOf(changed, 549, "a1").size).toBe(49);
});

test("a file that exceeds a sample does not exclude those after it", () => {
  const files = new Map([["provider/long.ts", ["1-1000"]], ...changed]);
  for (const seed of ["a1", "b2", "c3", "d4"]) expect(sampleOf(files, 22, seed).size).toBe(2);
});

test("a sample of whole modules has lines from many files, each once, others for another seed", () => {
  const lengths = new Map([...changed.keys()].map((file, i) => [file, 15 + i]));
  const sample = piecesOf(lengths, 200, "a1");
  const pieces = [...sample].flatMap(([file, ranges]) => ranges.map((range) => `${file}:${range}`));
  expect(new Set(pieces).size).toBe(20);
  expect(sample.size).toBeGreaterThan(10);
  for (const [file, ranges] of sample) {
    for (const range of ranges) {
      const [first = 0, last = 0] = range.split("-").map(Number);
      expect(first % 10).toBe(1);
      expect(last).toBe(Math.min(first + 9, lengths.get(file) ?? 0));
    }
  }
  expect(piecesOf(lengths, 200, "a1")).toEqual(sample);
  expect(piecesOf(lengths, 200, "b2")).not.toEqual(sample);
});
