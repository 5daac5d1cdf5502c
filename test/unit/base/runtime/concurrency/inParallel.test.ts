import { expect, test } from "vitest";
import { inParallel } from "../../../../../provider/base/runtime/concurrency/inParallel.ts";

async function most(
  concurrency: number,
  weights: number[],
  heaviest: number,
): Promise<{ works: number; weight: number }> {
  const now = { works: 0, weight: 0 };
  const seen = { works: 0, weight: 0 };
  const work = async (weight: number): Promise<void> => {
    now.works++;
    now.weight += weight;
    seen.works = Math.max(seen.works, now.works);
    seen.weight = Math.max(seen.weight, now.weight);
    for (let turns = 0; turns < 5; turns++) await Promise.resolve();
    now.works--;
    now.weight -= weight;
  };
  await inParallel(weights, concurrency, work, (weight) => weight, heaviest);
  return seen;
}

test("at most the given number of tasks runs at once, and no fewer", async () => {
  expect(await most(3, Array<number>(20).fill(0), Infinity)).toEqual({ works: 3, weight: 0 });
});

test("concurrent tasks weigh no more than the limit; a heavier one runs alone", async () => {
  expect(await most(10, Array<number>(20).fill(4), 10)).toEqual({ works: 2, weight: 8 });
  expect(await most(10, [1, 1, 50, 1], 10)).toEqual({ works: 2, weight: 50 });
});

test("a finished task frees its weight, and tasks may weigh exactly the limit", async () => {
  const begun: number[] = [];
  let works = 0;
  const work = async (): Promise<void> => {
    begun.push(++works);
    for (let turns = 0; turns < 5; turns++) await Promise.resolve();
    works--;
  };
  await inParallel([5, 5, 5, 5, 5, 5], 10, work, (weight) => weight, 10);
  expect(begun).toEqual([1, 2, 1, 2, 1, 2]);
});

test("a series that breaks off ends with its own failure, after the running tasks have ended", async () => {
  const failure = new Error("the series broke off");
  const ended: number[] = [];
  async function* series(): AsyncGenerator<number> {
    yield 1;
    await Promise.resolve();
    throw failure;
  }
  const result = inParallel(series(), 2, async (item) => {
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
    ended.push(item);
  });
  await expect(result).rejects.toBe(failure);
  expect(ended).toEqual([1]);
});

test("after a failure nothing begins, and the running tasks have ended", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const failure = new Error("one");
  const result = inParallel([1, 2, 3, 4, 5, 6], 2, async (item) => {
    begun.push(item);
    for (let turns = 0; turns < 5; turns++) await Promise.resolve();
    if (item === 1) throw failure;
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
    ended.push(item);
  });
  await expect(result).rejects.toBe(failure);
  expect(begun).toEqual([1, 2]);
  expect(ended).toEqual([2]);
});
