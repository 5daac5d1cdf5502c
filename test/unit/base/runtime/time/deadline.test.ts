import { expect, test } from "vitest";
import { startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

test("a deadline counts from its start, and once it has passed nothing is left", () => {
  const clock = new VirtualClock();
  clock.advance(5_000);
  const deadline = startDeadline(clock, 60_000);
  expect([deadline.limitMs, deadline.elapsedMs(), deadline.remainingMs()]).toEqual([60_000, 0, 60_000]);
  clock.advance(59_000);
  expect([deadline.limitMs, deadline.elapsedMs(), deadline.remainingMs()]).toEqual([60_000, 59_000, 1_000]);
  clock.advance(2_000);
  expect([deadline.limitMs, deadline.elapsedMs(), deadline.remainingMs()]).toEqual([60_000, 61_000, 0]);
});

test("the time of a pause does not count, however long it is", () => {
  const clock = new VirtualClock();
  const deadline = startDeadline(clock, 60_000);
  clock.advance(20_000);
  const goOn = deadline.pause();
  clock.advance(600_000);
  expect([deadline.elapsedMs(), deadline.remainingMs()]).toEqual([20_000, 40_000]);
  goOn();
  clock.advance(10_000);
  expect([deadline.elapsedMs(), deadline.remainingMs()]).toEqual([30_000, 30_000]);
});
