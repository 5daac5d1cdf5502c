import { readFileSync } from "node:fs";
import { join } from "node:path";

const FIGURES = join(import.meta.dirname, "../bench/README.md");

/** The rows of a table of the committed figures, each by its first cell. @param head the first cell of its head */
export function figuresOf(head: string): Map<string, string[]> {
  const lines = readFileSync(FIGURES, "utf8").split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head} `));
  if (start === -1) throw new Error(`test/bench/README.md has no table whose head begins with «${head}»`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return new Map(
    lines.slice(start + 2, end).map((line) => {
      const [, name = "", ...cells] = line.split("|").map((cell) => cell.trim());
      return [name, cells.slice(0, -1)];
    }),
  );
}

/** A row of such a table. */
export function rowOf(table: Map<string, string[]>, name: string): string[] {
  const row = table.get(name);
  if (row === undefined) throw new Error(`the table of test/bench/README.md has no row «${name}»`);
  return row;
}
