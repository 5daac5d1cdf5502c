import { setTimeout as wait } from "node:timers/promises";

/** Repeats work during the test. @returns ends it, after the last time; rejects as the work did */
export function repeatedly(work: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      await work();
      await wait(pauseMs);
    }
  };
  const running = run();
  running.catch(() => undefined); // the caller that ends it gets the error
  return () => {
    stopped = true;
    return running;
  };
}
