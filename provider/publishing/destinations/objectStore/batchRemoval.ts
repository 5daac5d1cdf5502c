import { inParallel } from "../../../base/runtime/concurrency/inParallel";
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

/** Removes objects. @throws what the store throws for an object that stays */
export type RemoveObjects = (keys: readonly string[]) => Promise<void>;

/** Removes objects: many with one request, and one by one what a store does not remove so. */
export function batchRemoval({ longest, many, one }: Removal): RemoveObjects {
  let takesBatches = true;
  const removeBatch = async (keys: readonly string[]): Promise<readonly string[]> => {
    if (!takesBatches || keys.length === 1) return keys;
    try {
      return await many(keys);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      takesBatches = false;
      return keys;
    }
  };
  return async (keys) => {
    const batches = Array.from({ length: Math.ceil(keys.length / longest) }, (_, at) =>
      keys.slice(at * longest, (at + 1) * longest),
    );
    const left: string[] = [];
    await inParallel(batches, CONCURRENT_BATCHES, async (batch) => {
      left.push(...(await removeBatch(batch)));
    });
    await inParallel(left, CONCURRENCY, one);
  };
}

/** Whether a store answered that it does not do what was requested, not that it cannot do it now. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof StoreError) || error.failure === "busy") return false;
  const { status = 0 } = error;
  return status === 501 || (status >= 400 && status < 500);
}
