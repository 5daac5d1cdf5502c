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
  const running = new Set<Promise<void>>();
  let weight = 0;
  let wake = (): void => undefined;
  let failure: { readonly error: unknown } | undefined;
  const begin = (item: T): void => {
    const own = weightOf(item);
    weight += own;
    const done = work(item)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        weight -= own;
        running.delete(done);
        wake();
      });
    running.add(done);
  };
  try {
    for await (const item of items) {
      while (running.size >= concurrency || (running.size > 0 && weight + weightOf(item) > heaviest)) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (failure !== undefined) break;
      begin(item);
    }
  } catch (error) {
    failure ??= { error };
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
}
