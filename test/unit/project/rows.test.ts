import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The number of rows of each list whose ids are in names of tests ("N07"). */
const ROWS = {
  L: 50, // scenarios of a resource's life
  C: 15, // of composed resources
  N: 22, // faults of the network
  H: 25, // replies of the service
  B: 10, // bodies of replies
  J: 7, // ids of jobs
  T: 15, // states of jobs
  U: 12, // links to bundles
  D: 15, // downloads of bundles
  E: 9, // ends of links
  I: 12, // inputs
};
test("each row of the lists of scenarios and faults is in the name of a test", () => {
  const tests = join(import.meta.dirname, "../..");
  const sources = globSync("**/*.test.ts", { cwd: tests }).map((file) =>
    readFileSync(join(tests, file), "utf8"),
  );
  // names begin with ids: "L02, U12 nothing changed"; those of tables are separate texts: ["L09", 501]
  const names = sources.flatMap((source) => [...source.matchAll(/["'`]((?:[A-Z]\d\d\b(?:, )?)+)/g)]);
  const named = new Set(names.flatMap(([, ids = ""]) => ids.split(", ")));
  const rows = Object.entries(ROWS).flatMap(([letter, length]) =>
    Array.from({ length }, (_, index) => letter + String(index + 1).padStart(2, "0")),
  );
  expect(rows.filter((id) => !named.has(id))).toEqual([]);
});
