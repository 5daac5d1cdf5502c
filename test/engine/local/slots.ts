// Limits the number of concurrent tasks; the others wait in line.

export interface Slots {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Settles when nothing runs or waits. */
  idle(): Promise<void>;
}

export function createSlots(count: number): Slots {
  let taken = 0;
  const line: (() => void)[] = [];
  let idleWaiters: (() => void)[] = [];

  const take = () => {
    if (taken < count) {
      taken++;
      return Promise.resolve();
    }
    return new Promise<void>((go) => line.push(go));
  };
  const give = () => {
    const next = line.shift();
    if (next) return next();
    taken--;
    if (taken > 0) return;
    for (const wake of idleWaiters) wake();
    idleWaiters = [];
  };

  return {
    async run(work) {
      await take();
      try {
        return await work();
      } finally {
        give();
      }
    },
    idle: () => (taken === 0 ? Promise.resolve() : new Promise((wake) => idleWaiters.push(wake))),
  };
}
