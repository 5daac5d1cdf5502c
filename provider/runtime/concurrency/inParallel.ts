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
  heaviest = Infinity,
): Promise<void> {
  const running = new InFlight();
  let weight = 0;
  let failure: { readonly error: unknown } | undefined;
  const begin = (item: T): void => {
    const own = weightOf(item);
    weight += own;
    const done = work(item)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => (weight -= own));
    running.add(done);
  };
  try {
    for await (const item of items) {
      while (running.count >= concurrency || (running.count > 0 && weight + weightOf(item) > heaviest)) {
        await running.oneEnds();
      }
      if (failure !== undefined) break;
      begin(item);
    }
  } catch (error) {
    failure ??= { error };
  }
  await running.allEnd();
  if (failure !== undefined) throw failure.error;
}
