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
  const files = [...lines].map(([file, ranges]) => ({ file, ranges, place: placeOf(file, seed) }));
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

/** The number of lines that are judged together. A break that reaches beyond them, such as of a long function, is left out. */
const PIECE = 10;

/**
 * Lines of whole modules that are judged in a bounded time: pieces of ten lines from all files, in an order by the seed. The same
 * for the same seed.
 *
 * @param lengths the number of lines of each file
 * @returns of each chosen file its lines, as `first-last`
 */
export function piecesOf(
  lengths: ReadonlyMap<string, number>,
  atMost: number,
  seed: string,
): Map<string, readonly string[]> {
  const pieces = [...lengths].flatMap(([file, length]) =>
    Array.from({ length: Math.ceil(length / PIECE) }, (_, i) => ({
      file,
      range: `${(i * PIECE + 1).toString()}-${Math.min((i + 1) * PIECE, length).toString()}`,
    })),
  );
  const place = ({ file, range }: { file: string; range: string }): string =>
    placeOf(`${file}:${range}`, seed);
  pieces.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  const chosen = new Map<string, string[]>();
  for (const { file, range } of pieces.slice(0, Math.ceil(atMost / PIECE))) {
    chosen.set(file, [...(chosen.get(file) ?? []), range]);
  }
  return chosen;
}

function placeOf(name: string, seed: string): string {
  return createHash("sha256").update(`${seed} ${name}`).digest("hex");
}

function lengthOf(range: string): number {
  const [first = 0, last = first] = range.split("-").map(Number);
  return last - first + 1;
}
