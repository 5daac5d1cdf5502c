import { expect, test } from "vitest";
import { Round } from "../../../../provider/adapters/session/round.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const urnOf = (name: string): string => `urn:pulumi:dev::docs::docs-hosting:index:StaticExport::${name}`;

/** A round, and the lines of its fleets. */
function newRound(): { round: Round; clock: VirtualClock; lines: string[] } {
  const clock = new VirtualClock();
  const lines: string[] = [];
  return { clock, lines, round: new Round(clock, (line) => lines.push(line)) };
}

type Fleet = ReturnType<typeof newRound>;

/** Runs operations of these names at once, each longer by a step than the one before. @returns the lines so far */
function run(
  { round, clock, lines }: Fleet,
  names: readonly string[],
  { failed = [] as readonly string[], stepMs = 1_000 } = {},
): string[] {
  for (const name of names) round.began(urnOf(name));
  for (const name of names) {
    clock.advance(stepMs);
    round.ended(urnOf(name), !failed.includes(name));
  }
  return lines;
}

const TEN = Array.from({ length: 10 }, (_, index) => `site-${index}`);

test("a fleet of ten is summed up by one line, at its end", () => {
  expect(run(newRound(), TEN)).toEqual(["10 resources in 10s: 10 done"]);
});

test("also two sites are a fleet", () => {
  expect(run(newRound(), TEN.slice(0, 2))).toEqual(["2 resources in 2s: 2 done"]);
});

test("the line names what failed, at most five of them", () => {
  expect(run(newRound(), TEN, { failed: ["site-3", "site-7"] })).toEqual([
    "10 resources in 10s: 8 done, 2 failed (site-3, site-7)",
  ]);
  expect(run(newRound(), TEN, { failed: TEN.slice(2) })).toEqual([
    "10 resources in 10s: 2 done, 8 failed (site-2, site-3, site-4, site-5, site-6, …)",
  ]);
});

test("a fleet that works for long says after one, three and seven minutes, then each five, what still runs", () => {
  const fleet = newRound();
  const lines = run(fleet, TEN.slice(0, 4), { failed: ["site-1"], stepMs: 4 * 60_000 + 1 });
  expect(lines).toEqual([
    "after 1m: 0 done, 4 running (site-0, site-1, site-2, site-3)",
    "after 3m: 0 done, 4 running (site-0, site-1, site-2, site-3)",
    "after 7m: 1 done, 3 running (site-1, site-2, site-3)",
    "after 12m: 1 done, 1 failed (site-1), 2 running (site-2, site-3)",
    "4 resources in 16m: 3 done, 1 failed (site-1)",
  ]);
  expect(fleet.clock.pending).toBe(0);
});

test("one resource, and resources one after the other, have no such line, however long they work", () => {
  const fleet = newRound();
  expect(TEN.flatMap((name) => run(fleet, [name], { stepMs: 100_000 }))).toEqual([]);
  expect(fleet.clock.pending).toBe(0);
});

test("a fleet whose last operations begin when the first ones have ended has a last line that sums up all", () => {
  const fleet = newRound();
  run(fleet, TEN.slice(0, 8), { failed: ["site-1"] });
  fleet.clock.advance(20_000);
  expect(run(fleet, TEN.slice(8))).toEqual([
    "8 resources in 8s: 7 done, 1 failed (site-1)",
    "10 resources in 30s: 9 done, 1 failed (site-1)",
  ]);
});

test("after half a minute, another fleet is counted by itself", () => {
  const fleet = newRound();
  run(fleet, TEN);
  expect(fleet.round.isFleet).toBe(true);
  fleet.clock.advance(30_001);
  expect(run(fleet, TEN.slice(0, 4)).at(-1)).toBe("4 resources in 4s: 4 done");
  fleet.clock.advance(30_001);
  fleet.round.began(urnOf("docs"));
  expect(fleet.round.isFleet).toBe(false);
});
