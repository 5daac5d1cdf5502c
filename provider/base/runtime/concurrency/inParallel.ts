import { InFlight } from "./inFlight";

/**
 * Runs `work` for each item, with limited concurrency. After a failure it starts nothing more. It returns when all started work
 * has ended.
 *
 * @param heaviest maximum total weight of concurrent work; a single heavier item runs alone
 * @throws the first failure
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
  weightOf: (item: T) => number = () => 0,
  heaviest: number = Infinity,
): Promise<void> {
  const running = new InFlight();
  let weight = 0;
  try {
    for await (const item of items) {
      const own = weightOf(item);
      while (running.count >= concurrency || (running.count > 0 && weight + own > heaviest)) {
        await running.oneEnds();
      }
      running.throwFailure();
      weight += own;
      running.add(work(item).finally(() => (weight -= own)));
    }
  } catch (error) {
    running.fail(error);
  }
  await running.allEnd();
  running.throwFailure();
}
