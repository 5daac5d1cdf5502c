import { describe, expect, test } from "vitest";
import { progressRow } from "../../../../provider/adapters/session/progressRow.ts";
import { type EngineLine, linesInOrder } from "../../../../provider/adapters/session/rowReporter.ts";
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

test("a row that is done says so, once, and shows nothing more, also when it is set, and leaves no timer", () => {
  const { clock, row: progress, shown } = row();
  progress.set("a");
  progress.set("b");
  clock.advance(72_000);
  progress.close(true);
  progress.close(true);
  progress.set("too late");
  expect(clock.pending).toBe(0);
  clock.advance(100_000);
  expect(shown.at(-1)).toEqual([72_000, "done in 1m 12s"]);
  expect(shown.map(([, line]) => line)).not.toContain("");
});

test("a row that failed gets no further line: the engine shows the error there", () => {
  const { clock, row: progress, shown } = row();
  progress.set("a");
  progress.close(false);
  clock.advance(100_000);
  expect([shown, clock.pending]).toEqual([[[0, "a"]], 0]);
});

test("a row without progress, such as that of a recorded setting, stays without a line when it is done", () => {
  const { row: progress, shown } = row();
  progress.close(true);
  expect(shown).toEqual([]);
});

test("a row that was never set shows nothing", () => {
  const { clock, shown } = row();
  clock.advance(100_000);
  expect(shown).toEqual([]);
});

describe("lines are sent one after the other", () => {
  const line = (message: string, ephemeral = false, urn = "a"): EngineLine => ({
    severity: 1,
    message,
    urn,
    ephemeral,
  });

  /** A connection whose lines arrive when the test says so. */
  function connection(): { send: (line: EngineLine) => void; sent: string[]; arrive: () => void } {
    const sent: string[] = [];
    const pending: (() => void)[] = [];
    const send = linesInOrder(({ message }, done) => {
      if (message === "broken") throw new Error("no connection");
      sent.push(message);
      pending.push(done);
    });
    return { send, sent, arrive: () => pending.shift()?.() };
  }

  test("so that the engine cannot show them in another order", () => {
    const { send, sent, arrive } = connection();
    for (const message of ["starting", "NEW", "started"]) send(line(message));
    expect(sent).toEqual(["starting"]);
    arrive();
    expect(sent).toEqual(["starting", "NEW"]);
    arrive();
    arrive();
    send(line("later"));
    expect(sent).toEqual(["starting", "NEW", "started", "later"]);
  });

  test("and progress that waits is replaced by newer progress of the same row alone", () => {
    const { send, sent, arrive } = connection();
    send(line("first"));
    send(line("1%", true));
    send(line("2%", true));
    send(line("5%", true, "b"));
    send(line("stays"));
    send(line("3%", true));
    for (let count = 0; count < 6; count++) arrive();
    expect(sent).toEqual(["first", "2%", "5%", "stays", "3%"]);
  });

  test("and one that cannot be sent does not hold the next", () => {
    const { send, sent } = connection();
    send(line("broken"));
    send(line("works"));
    expect(sent).toEqual(["works"]);
  });
});
