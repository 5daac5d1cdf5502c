import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sleep, systemClock } from "../../../../../provider/base/runtime/time/clock.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

describe("the machine's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
  });
  afterEach(() => {
    vi.restoreAllMocks(); // first: it restores the timers that it replaced, and those are fake ones
    vi.useRealTimers();
  });

  test("returns wall-clock time, and a time that never goes back", () => {
    expect(systemClock.now()).toBe(Date.parse("2026-01-01T00:00:00Z"));
    const before = systemClock.monotonic();
    vi.setSystemTime(Date.parse("2020-01-01T00:00:00Z"));
    vi.advanceTimersByTime(250);
    expect(systemClock.monotonic() - before).toBe(250);
    expect(systemClock.now()).toBe(Date.parse("2020-01-01T00:00:00.250Z"));
  });

  test("calls back once after the delay, unless it is cancelled", () => {
    const called: string[] = [];
    systemClock.after(100, () => called.push("first"));
    const stop = systemClock.after(100, () => called.push("second"));
    vi.advanceTimersByTime(99);
    stop();
    expect(called).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(called).toEqual(["first"]);
  });

  test("waits as long as a timer can where the delay is longer, and does not fire at once", () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    systemClock.after(Number.MAX_SAFE_INTEGER, () => undefined);
    expect(timers.mock.calls[0]?.[1]).toBe(2_147_483_647);
  });

  test("uses Math.random", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.25);
    expect(systemClock.random()).toBe(0.25);
  });
});

describe("a sleep", () => {
  const clock = new VirtualClock();
  const stopped = new Error("stopped");
  /** A signal, and the listeners that were added and removed. */
  function watched() {
    const controller = new AbortController();
    const { signal } = controller;
    const came = vi.spyOn(signal, "addEventListener");
    const left = vi.spyOn(signal, "removeEventListener");
    return { controller, signal, came, left };
  }

  test("ends after its time and leaves no listener behind", async () => {
    const { signal, came, left } = watched();
    await clock.run(sleep(clock, 1_000, signal));
    expect(clock.waits).toEqual([1_000]);
    expect(came).toHaveBeenCalledExactlyOnceWith("abort", expect.any(Function), { once: true });
    expect(left).toHaveBeenCalledExactlyOnceWith("abort", came.mock.calls[0]?.[1]);
  });

  test("is ended by the signal, with its reason and without a timer left", async () => {
    const { controller, signal } = watched();
    const asleep = sleep(clock, 1_000, signal);
    controller.abort(stopped);
    await expect(asleep).rejects.toBe(stopped);
    expect(clock.pending).toBe(0);
  });

  test("does not begin where the signal was aborted already", async () => {
    const { controller, signal, came } = watched();
    controller.abort(stopped);
    await expect(sleep(clock, 1_000, signal)).rejects.toBe(stopped);
    expect(clock.pending).toBe(0);
    expect(came).not.toHaveBeenCalled();
  });
});
