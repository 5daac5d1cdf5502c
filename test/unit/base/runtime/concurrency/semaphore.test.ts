import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Semaphore } from "../../../../../provider/base/runtime/concurrency/semaphore.ts";

const { signal } = new AbortController();
const nothing = (): void => undefined;

/** A task that ends on command. */
function work(): { run: () => Promise<void>; end: () => void; began: () => boolean } {
  let [hasBegun, end] = [false, nothing];
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { run: () => ((hasBegun = true), ended), end: () => end(), began: () => hasBegun };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a limited number of tasks runs at once, the rest in order of arrival, also after a failure", async () => {
  const slots = new Semaphore(2);
  const works = [work(), work(), work(), work()];
  const waited: number[] = [];
  const runs = works.map(({ run }, at) => slots.run(run, signal, () => waited.push(at)));
  const begun = async (): Promise<boolean[]> => {
    await turn();
    return works.map(({ began }) => began());
  };
  expect(await begun()).toEqual([true, true, false, false]);
  works[1]?.end();
  expect(await begun()).toEqual([true, true, true, false]);
  works[0]?.end();
  expect(await begun()).toEqual([true, true, true, true]);
  for (const { end } of works) end();
  await Promise.all(runs);
  expect(waited).toEqual([2, 3]);
  const failing = (): Promise<void> => Promise.reject(new Error("failed"));
  for (let round = 0; round < 3; round++) {
    await expect(slots.run(failing, signal, nothing)).rejects.toThrow("failed");
  }
  expect(
    await slots.run(
      () => Promise.resolve("done"),
      signal,
      () => waited.push(4),
    ),
  ).toBe("done");
  expect(waited).toEqual([2, 3]);
});

test("a task that is stopped while it waits leaves the queue at once, and takes no place", async () => {
  const slots = new Semaphore(1);
  const [first, stopped, last] = [work(), work(), work()];
  const stop = new AbortController();
  const running = slots.run(first.run, signal, nothing);
  const waiting = slots.run(stopped.run, stop.signal, nothing);
  const then = slots.run(last.run, signal, nothing);
  stop.abort(new Error("Ctrl-C"));
  await expect(waiting).rejects.toThrow("Ctrl-C");
  await expect(slots.run(stopped.run, stop.signal, nothing)).rejects.toThrow("Ctrl-C");
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  first.end();
  await running;
  await turn();
  expect([stopped.began(), last.began()]).toEqual([false, true]);
  last.end();
  await then;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
