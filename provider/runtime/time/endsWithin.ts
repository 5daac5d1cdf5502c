import type { Clock } from "./clock";

/** Waits for the work, at most for the limit; the work then continues. @returns whether it ended in time */
export async function endsWithin(
  work: Promise<unknown>,
  clock: Pick<Clock, "after">,
  limitMs: number,
): Promise<boolean> {
  let stop = (): void => undefined;
  const late = new Promise<false>((resolve) => (stop = clock.after(limitMs, () => resolve(false))));
  return Promise.race([work.then(() => true), late]).finally(stop);
}
