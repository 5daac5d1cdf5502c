import { setTimeout as wait } from "node:timers/promises";

/** Does something again and again beside the test. @returns ends it, after the last time; rejects as the work did */
export function repeatedly(work: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      await work();
      await wait(pauseMs);
    }
  };
  const running = run();
  running.catch(() => undefined); // whoever ends it hears of it
  return () => {
    stopped = true;
    return running;
  };
}
