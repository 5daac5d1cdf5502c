import { expect, test } from "vitest";
import { progressRow } from "../../../../provider/adapters/session/rowReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** A row that records what it showed, and when. */
function row(clock = new VirtualClock()): {
  clock: VirtualClock;
  row: ReturnType<typeof progressRow>;
  shown: [atMs: number, line: string][];
} {
  const shown: [number, string][] = [];
  return { clock, shown, row: progressRow(clock, (line) => shown.push([clock.monotonic(), line])) };
}

test("the first line shows at once, without the elapsed time, which the CLI shows", () => {
  const { clock, row: progress, shown } = row();
  clock.advance(3_000);
  progress.set("starting the export");
  expect(shown).toEqual([[3_000, "starting the export"]]);
});

test("a change within a second waits for that second to pass, and only the newest one shows", () => {
  const { clock, row: progress, shown } = row();
  progress.set("a");
  clock.advance(300);
  progress.set("b");
  clock.advance(300);
  progress.set("c");
  clock.advance(399);
  expect(shown.map(([, line]) => line)).toEqual(["a"]);
  clock.advance(1);
  expect(shown).toEqual([
    [0, "a"],
    [1_000, "c"],
  ]);
});

test("lines are a second apart or more, and thirty seconds or less, however the text changes", () => {
  const { clock, row: progress, shown } = row();
  for (let i = 0; i < 200; i++) {
    progress.set(`running, ${i}%`);
    clock.advance(i < 100 ? 130 : 1_700);
  }
  clock.advance(200_000);
  const gaps = shown.slice(1).map(([at], index) => at - (shown[index]?.[0] ?? 0));
  expect(shown.length).toBeGreaterThan(110);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000);
});

test("an unchanged text shows again before thirty seconds have passed", () => {
  const { clock, row: progress, shown } = row();
  progress.set("queued");
  for (let i = 0; i < 70; i++) {
    clock.advance(1_000);
    progress.set("queued");
  }
  expect(shown).toEqual([
    [0, "queued"],
    [25_000, "queued"],
    [50_000, "queued"],
  ]);
});

test("a closed row is empty, once, and shows nothing more, also when it is set, and leaves no timer", () => {
  const { clock, row: progress, shown } = row();
  progress.set("a");
  progress.set("b");
  progress.close();
  progress.close();
  progress.set("too late");
  expect(clock.pending).toBe(0);
  clock.advance(100_000);
  expect(shown.map(([, line]) => line)).toEqual(["a", ""]);
});

test("a row that was never set shows nothing", () => {
  const { clock, shown } = row();
  clock.advance(100_000);
  expect(shown).toEqual([]);
});
