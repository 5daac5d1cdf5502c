import { createHash } from "node:crypto";

/**
 * A part of the changed lines that is judged in a bounded time: whole files in an order by the seed, until they have the given
 * number of lines. The same for the same seed; all files where they have no more lines than that.
 *
 * @param lines of each file its changed lines, as `first-last`
 */
export function sampleOf(
  lines: ReadonlyMap<string, readonly string[]>,
  atMost: number,
  seed: string,
): Map<string, readonly string[]> {
  const place = (file: string): string => createHash("sha256").update(`${seed} ${file}`).digest("hex");
  const files = [...lines].map(([file, ranges]) => ({ file, ranges, place: place(file) }));
  files.sort((a, b) => (a.place < b.place ? -1 : 1));
  let left = atMost;
  return new Map(
    files.flatMap(({ file, ranges }) => {
      const count = ranges.reduce((sum, range) => sum + lengthOf(range), 0);
      if (count > left) return [];
      left -= count;
      return [[file, ranges] satisfies [string, readonly string[]]];
    }),
  );
}

function lengthOf(range: string): number {
  const [first = 0, last = first] = range.split("-").map(Number);
  return last - first + 1;
}
