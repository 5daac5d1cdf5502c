import { expect, test } from "vitest";
import { rowReporter } from "../../../../provider/adapters/session/rowReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** A row, and its lines: those of the progress in brackets. */
function newRow(): {
  clock: VirtualClock;
  row: ReturnType<typeof rowReporter>;
  lines: string[];
  join: () => void;
} {
  const clock = new VirtualClock();
  const lines: string[] = [];
  let isOneOfMany = false;
  const row = rowReporter(
    ({ message, ephemeral }) => lines.push(ephemeral ? `[${message}]` : message),
    "urn",
    clock,
    () => isOneOfMany,
  );
  return { clock, row, lines, join: () => (isOneOfMany = true) };
}

test("the steps of a resource that works alone are lines that stay, two seconds later", () => {
  const { clock, row, lines } = newRow();
  row.info("job 42 started", true);
  clock.advance(1_999);
  expect(lines).toEqual([]);
  clock.advance(1);
  expect(lines).toEqual(["job 42 started"]);
  row.close(false);
  expect(clock.pending).toBe(0);
});

test("a step keeps its place before the line, the warning or the end that follows it", () => {
  const { clock, row, lines } = newRow();
  row.info("first", true);
  row.info("second", true);
  row.warn("a warning");
  row.info("third", true);
  row.info("a line");
  row.info("fourth", true);
  row.progress("43%");
  row.close(true);
  expect(lines).toEqual([
    "first",
    "second",
    "a warning",
    "third",
    "a line",
    "[43%]",
    "fourth",
    "[done in 0s]",
  ]);
  expect(clock.pending).toBe(0);
});

test("where another resource begins within two seconds, the steps of the first one are no lines, either", () => {
  const { clock, row, lines, join } = newRow();
  row.info("NEW: docs");
  row.info("job 42 started", true);
  clock.advance(500);
  join();
  clock.advance(10_000);
  row.info("50%", true);
  row.close(true);
  expect(lines).toEqual(["NEW: docs", "[50%]", "[done in 11s]"]);
});

test("after a late step the row shows the newer progress again", () => {
  const { clock, row, lines } = newRow();
  row.progress("25%");
  row.info("25%", true);
  clock.advance(1_500);
  row.progress("31%");
  clock.advance(1_000);
  expect(lines).toEqual(["[25%]", "[31%]", "25%", "[31%]"]);
  row.close(false);
  expect(clock.pending).toBe(0);
});
