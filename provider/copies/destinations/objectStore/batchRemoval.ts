import { inParallel } from "../../../runtime/concurrency/inParallel";
import { CONCURRENCY } from "./objectStore";
import { StoreError } from "./storeError";

/** How many batches are removed concurrently. */
const CONCURRENT_BATCHES = 4;

/** How a store removes objects. One that is already gone is not an error. */
interface Removal {
  /** How many objects one request removes at most. */
  readonly longest: number;
  /** @returns the keys of objects that stay, for whatever reason: a request for one object tells it */
  readonly many: (keys: readonly string[]) => Promise<readonly string[]>;
  readonly one: (key: string) => Promise<void>;
}

/** Removes objects: many with one request, and one by one what a store does not remove so. */
export class BatchRemoval {
  readonly #removal: Removal;
  #takesBatches = true;

  constructor(removal: Removal) {
    this.#removal = removal;
  }

  /** @throws what the store throws for an object that stays */
  async remove(keys: readonly string[]): Promise<void> {
    const { longest, one } = this.#removal;
    const batches = Array.from({ length: Math.ceil(keys.length / longest) }, (_, at) =>
      keys.slice(at * longest, (at + 1) * longest),
    );
    const left: string[] = [];
    await inParallel(batches, CONCURRENT_BATCHES, async (batch) => {
      left.push(...(await this.#removeBatch(batch)));
    });
    await inParallel(left, CONCURRENCY, one);
  }

  async #removeBatch(keys: readonly string[]): Promise<readonly string[]> {
    if (!this.#takesBatches || keys.length === 1) return keys;
    try {
      return await this.#removal.many(keys);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#takesBatches = false;
      return keys;
    }
  }
}

/** Whether a store answered that it does not do what was requested, not that it cannot do it now. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof StoreError) || error.failure === "busy") return false;
  const { status = 0 } = error;
  return status === 501 || (status >= 400 && status < 500);
}
