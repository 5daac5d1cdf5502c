// The faults and bad inputs that tests name by their ids, and what became of them. They run in two commands: `npm test` and
// `npm run test:faults`.
import { join } from "node:path";
import type { TestModule } from "vitest/node";
import { askedTests, idsNamedIn, isWhole, outcomesOf, type Outcome } from "./namedOutcomes.ts";

const rows = (letter: string, count: number, leftOut: readonly string[] = []): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(2, "0")}`).filter(
    (id) => !leftOut.includes(id),
  );

/** Every row that some test has to name; what concerns the archive itself (D, A, and two of U) is the installation's. */
export const FAULT_ROWS: readonly string[] = [
  ...rows("N", 22), // the network
  ...rows("H", 25), // what the service answers
  ...rows("B", 10), // what stands in a reply
  ...rows("J", 6), // ids of jobs
  ...rows("T", 15), // states of jobs
  ...rows("U", 12, ["U06", "U07"]), // links to bundles
  ...rows("E", 8), // when links end
  ...rows("I", 12), // inputs
];

/** The test files of the two commands that name rows. */
const HERE = "{faults,stack,unit}/*.test.ts";
const APART = "faults/slow/*.test.ts";

/** What the tests of this run say of each row that they name. */
export function faultOutcomes(modules: readonly TestModule[]): Map<string, Outcome> {
  const outcomes = outcomesOf(askedTests(modules), /\b[A-Z]\d\d\b/g);
  return new Map([...outcomes].filter(([id]) => FAULT_ROWS.includes(id)));
}

/** Rows that no test of either command names; none in a run that leaves tests of its own command out. */
export function unnamedFaults(modules: readonly TestModule[]): string[] {
  const isApart = modules.some(({ moduleId }) =>
    moduleId.startsWith(join(import.meta.dirname, "faults/slow/")),
  );
  if (!isWhole(modules, isApart ? APART : HERE)) return [];
  const outcomes = faultOutcomes(modules);
  const elsewhere = idsNamedIn(isApart ? HERE : APART);
  return FAULT_ROWS.filter((id) => !outcomes.has(id) && !elsewhere.has(id));
}
