import { stripVTControlCharacters } from "node:util";

/** Everything that a program wrote to a terminal, as the lines that it shows in the end. Those that left it at the top come first. */
export function screenOf(written: string): string[] {
  const lines: string[] = [""];
  let row = 0;
  let column = 0;
  const moves: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => (row = Math.max(0, row - count)),
    B: (count) => (row += count),
    K: () => (lines[row] = (lines[row] ?? "").slice(0, column)),
    J: () => {
      lines.length = row + 1;
      lines[row] = (lines[row] ?? "").slice(0, column);
    },
  };
  const text = written.replaceAll(/\u001b\].*?(?:\u0007|\u001b\\)/g, "");
  for (const [part, count, move] of text.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|[\s\S]/gu)) {
    if (move !== undefined) moves[move]?.(Number(count) || 1);
    else if (part === "\r") column = 0;
    else if (part === "\n") row++;
    else {
      const line = (lines[row] ?? "").padEnd(column);
      lines[row] = line.slice(0, column) + part + line.slice(column + part.length);
      column++;
    }
    for (let above = lines.length; above <= row; above++) lines.push("");
  }
  return lines;
}

/**
 * What of a screen does not depend on the speed of a machine: without ids, numbers, times and what follows the time of a row. Lines and
 * blocks that differ by them alone are there once, and the blocks of resources are sorted.
 */
export function recordedScreen(written: string): string {
  return withoutSpeed(screenOf(written));
}

export function withoutSpeed(screen: readonly string[]): string {
  const lines = screen.map((line) =>
    line
      .trimEnd()
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "JOB")
      .replaceAll(/\bsite-\d/g, "site-N")
      .replace(/^( .*[├└]─ .*)\(\d+s\).*/, "$1(Ns)…")
      .replace(/\((?:\d+|N)s\)(?: +|$)/, "(Ns)  ")
      .replace(/ {2}\d+ [mers]{1,8}$/, "  …")
      .trimEnd()
      .replace(/Status +Info/, "Status  Info")
      .replace(/^( +)(?:\d+|N)% · .*/, "$1N% · …")
      .replace(/in (\d+m )?\d+s: /, "in Ns: ")
      .replace(/after \d+m: .*/, "after Nm: …")
      .replace(/^Duration: .*/, "Duration: Ns")
      .replace(/^Diagnostics:$/, "Diagnostics:\n")
      .replaceAll("├", "└"),
  );
  const single = lines.filter((line, index) => line === "" || line !== lines[index - 1]);
  const blocks = [...new Set(single.join("\n").trim().split(/\n\n+/))];
  const first = blocks.indexOf("Diagnostics:") + 1;
  const last = blocks.findLastIndex((block) => block.startsWith("  ")) + 1;
  const sorted = [...blocks.slice(0, first), ...blocks.slice(first, last).sort(), ...blocks.slice(last)];
  return sorted.join("\n\n");
}

/**
 * The row of a resource while it works, which people see for minutes: where the row has space for the progress, with it. Without what
 * depends on the speed of a machine.
 */
export function runningRow(written: string): string {
  const rows = stripVTControlCharacters(written)
    .split(/[\r\n]+/)
    .filter((line) => /─ .* (?:creat|updat)in/.test(line));
  const row = rows.findLast((line) => /\d%/.test(line)) ?? rows.at(-1) ?? "";
  return row
    .replaceAll(/\bsite-\d/g, "site-N")
    .replace("├", "└")
    .replace(/(ing) \(\d+s\)\.* */, "$1 (Ns)  ")
    .replace(/\b\d+%.*$/, "N% …")
    .trimEnd();
}
