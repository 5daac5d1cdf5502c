import { cpus } from "node:os";

/** Prints a table in Markdown for the README, and under it how and when it was made. */
export function printTable(
  bench: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  console.log(line(head));
  console.log(line(widths.map((width) => "-".repeat(width))));
  for (const row of rows) console.log(line(row));
  const day = new Date().toISOString().slice(0, 10);
  console.log(
    `\n\`npm run bench -- ${bench}\`, ${day}, Node.js ${process.versions.node}, ${cpus().length} cores.`,
  );
}

/** Prints whether all limits hold, and names those that do not. */
export function verdict(missed: readonly string[], limits: string): boolean {
  console.log(missed.length === 0 ? `Within the limits: ${limits}` : `OVER the limits (${limits}):`);
  for (const miss of missed) console.log(`- ${miss}`);
  return missed.length === 0;
}
