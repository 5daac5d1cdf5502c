import { expect, test } from "vitest";
import { WriteQueue } from "../../../../provider/publishing/additions/writeQueue.ts";

const MIB = 2 ** 20;

test("files are written one after the other, in their order, whenever they are read", async () => {
  const queue = new WriteQueue();
  const written: number[] = [];
  const reads = Array.from({ length: 5 }, () => Promise.withResolvers<undefined>());
  for (const [at, { promise }] of reads.entries()) {
    await queue.add(1, async () => {
      await promise;
      written.push(at);
    });
  }
  for (const { resolve } of reads.toReversed()) resolve(undefined);
  expect(queue.isEmpty).toBe(false);
  await queue.flush();
  expect(written).toEqual([0, 1, 2, 3, 4]);
  expect(queue.isEmpty).toBe(true);
});

test.for([
  ["many files", 1],
  ["some megabytes", 2 * MIB],
] as const)("%s wait until those before them are written", async ([, bytes]) => {
  const queue = new WriteQueue();
  const first = Promise.withResolvers<undefined>();
  let added = 0;
  const all = (async () => {
    for (let at = 0; at < 100; at++) {
      await queue.add(bytes, () => first.promise);
      added++;
    }
  })();
  await new Promise((resolve) => setImmediate(resolve));
  expect(added).toBe(bytes === 1 ? 64 : 2);
  first.resolve(undefined);
  await all;
});

test("the error of a file ends the site: nothing is written after it, and the next file throws it", async () => {
  const queue = new WriteQueue();
  const written: string[] = [];
  await queue.add(1, () => Promise.reject(new Error("no space")));
  await queue.add(1, () => Promise.resolve(void written.push("next")));
  await expect(queue.flush()).rejects.toThrow("no space");
  await expect(queue.add(1, () => Promise.resolve())).rejects.toThrow("no space");
  expect(written).toEqual([]);
});

test("the end waits for the file that is being written, and writes none of the others", async () => {
  const queue = new WriteQueue();
  const [first, written] = [Promise.withResolvers<undefined>(), [] as string[]];
  await queue.add(1, async () => {
    await first.promise;
    written.push("first");
  });
  await queue.add(1, () => Promise.resolve(void written.push("second")));
  await new Promise((resolve) => setImmediate(resolve));
  const ended = queue.stop().then(() => written.push("ended"));
  await new Promise((resolve) => setImmediate(resolve));
  first.resolve(undefined);
  await ended;
  expect(written).toEqual(["first", "ended"]);
});
