import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** Holds runs back before each of their steps. */
export interface Turns {
  /** Resolves when it is this run's turn; never after the run was killed. */
  readonly turn: (run: string) => Promise<void>;
  readonly clock: VirtualClock;
}

/** The runs of one history, and what must be true at its end. */
export interface History {
  readonly runs: readonly Promise<unknown>[];
  check(): void;
}

/**
 * Runs the same runs in every order of their steps. Time passes only when nothing else can happen.
 *
 * @param begin begins the runs, at a place of their own
 * @param limit the most orders: it fails when there are more
 * @returns the number of orders
 */
export async function inEveryOrder(begin: (turns: Turns) => History, limit: number): Promise<number> {
  let path: number[] = [];
  for (let orders = 1; orders <= limit; orders++) {
    const options = await runOnce(begin, (count, at) => Math.min(path[at] ?? 0, count - 1));
    const chosen = options.map((_, at) => path[at] ?? 0);
    let last = chosen.length - 1;
    while (last >= 0 && (chosen[last] ?? 0) + 1 >= (options[last] ?? 0)) last--;
    if (last < 0) return orders;
    path = [...chosen.slice(0, last), (chosen[last] ?? 0) + 1];
  }
  throw new Error(`there are more than ${limit} orders`);
}

/** Runs the same runs in orders by chance. @param random a number in [0, 1) */
export async function inSomeOrders(
  begin: (turns: Turns) => History,
  count: number,
  random: () => number,
): Promise<void> {
  for (let order = 0; order < count; order++) {
    await runOnce(begin, (options) => Math.floor(random() * options));
  }
}

/** @returns how many runs could have had each turn */
async function runOnce(
  begin: (turns: Turns) => History,
  choose: (options: number, at: number) => number,
): Promise<number[]> {
  const clock = new VirtualClock();
  const held: { run: string; go: () => void }[] = [];
  const turn = (run: string): Promise<void> => new Promise((go) => held.push({ run, go }));
  const history = begin({ turn, clock });
  const { runs } = history;
  let left = runs.length;
  const failures: unknown[] = [];
  for (const run of runs) void run.catch((error: unknown) => failures.push(error)).finally(() => left--);
  const options: number[] = [];
  const order: string[] = [];
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (left === 0) break;
    if (held.length === 0) {
      if (clock.pending === 0) throw new Error("the runs wait for nothing");
      clock.advance(250);
      continue;
    }
    held.sort((one, other) => (one.run < other.run ? -1 : 1));
    const at = choose(held.length, options.length);
    options.push(held.length);
    const [next] = held.splice(at, 1);
    order.push(next?.run ?? "");
    next?.go();
  }
  try {
    if (failures.length > 0) throw failures[0];
    history.check();
  } catch (error) {
    throw new Error(`in the order ${order.join(" ")}`, { cause: error });
  }
  return options;
}
