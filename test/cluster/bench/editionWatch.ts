import { until } from "../installation.ts";
import { repeatedly } from "../repeatedly.ts";

const PAUSE_MS = 20;
/** The time without an old page after which it counts as gone. */
const QUIET_MS = 2_000;

/** When pages were seen, by `performance.now()`. */
export interface Seen {
  firstNew: number;
  lastOld: number;
}

/** Requests a page continuously, and records when the edition was first seen, and when another one was last seen. */
export function startEditionWatch(url: string, edition: string): { settled(): Promise<Seen> } {
  const seen: Seen = { firstNew: NaN, lastOld: performance.now() };
  const stop = repeatedly(async () => {
    const page = await fetch(url, { headers: { connection: "close" } }).then((answer) => answer.text());
    if (!page.includes(`The ${edition} edition.`)) seen.lastOld = performance.now();
    else if (Number.isNaN(seen.firstNew)) seen.firstNew = performance.now();
  }, PAUSE_MS);
  return {
    settled: async () => {
      await until("no reader sees an old page", () =>
        Promise.resolve(!Number.isNaN(seen.firstNew) && performance.now() - seen.lastOld > QUIET_MS),
      );
      await stop();
      return seen;
    },
  };
}
