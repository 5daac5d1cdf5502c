import { expect, test } from "vitest";
import { Round } from "../../../../provider/adapters/session/round.ts";

const urnOf = (name: string): string => `urn:pulumi:dev::docs::docs-hosting:index:StaticExport::${name}`;

/** Runs operations of these names at once, each a second longer than the one before. @returns the lines that sum up */
function run(round: Round, names: readonly string[], failed: readonly string[] = []): string[] {
  names.forEach(() => round.began(1_000));
  return names.flatMap((name, index) => {
    const line = round.ended(urnOf(name), !failed.includes(name), 1_000 * (index + 2));
    return line ?? [];
  });
}

const TEN = Array.from({ length: 10 }, (_, index) => `site-${index}`);

test("a fleet of ten is summed up by one line, at its end", () => {
  expect(run(new Round(), TEN)).toEqual(["10 resources in 10s: 10 done"]);
});

test("the line names what failed, at most five of them", () => {
  expect(run(new Round(), TEN, ["site-3", "site-7"])).toEqual([
    "10 resources in 10s: 8 done, 2 failed (site-3, site-7)",
  ]);
  expect(run(new Round(), TEN, TEN.slice(2))).toEqual([
    "10 resources in 10s: 2 done, 8 failed (site-2, site-3, site-4, site-5, site-6, …)",
  ]);
});

test("a few resources, and resources one after the other, have no such line", () => {
  const round = new Round();
  expect(run(round, TEN.slice(0, 3))).toEqual([]);
  expect(TEN.flatMap((name) => run(round, [name]))).toEqual([]);
});

test("each fleet is counted by itself, also one that begins while the last operations of it run", () => {
  const round = new Round();
  run(round, TEN);
  expect(round.isFleet).toBe(true);
  expect(run(round, TEN.slice(0, 4))).toEqual(["4 resources in 4s: 4 done"]);
  round.began(0);
  expect(round.isFleet).toBe(false);
});
