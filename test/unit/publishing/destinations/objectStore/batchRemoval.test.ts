import { expect, test } from "vitest";
import { batchRemoval } from "../../../../../provider/publishing/destinations/objectStore/batchRemoval.ts";
import {
  StoreError,
  type StoreFailure,
} from "../../../../../provider/publishing/destinations/objectStore/storeError.ts";

const KEYS = Array.from({ length: 5 }, (_, at) => `docs/${at}.html`);

/** Removes two objects with one request, in a store that answers such a request with an error. */
async function removed(
  failure: StoreFailure,
  status?: number,
): Promise<{ single: string[]; error: unknown }> {
  const single: string[] = [];
  const remove = batchRemoval({
    longest: 2,
    many: () =>
      Promise.reject(new StoreError("it failed", "", { failure, code: "code", ...(status && { status }) })),
    one: (key) => Promise.resolve(void single.push(key)),
  });
  const error: unknown = await remove(KEYS).catch((caught: unknown) => caught);
  return { single: single.sort(), error };
}

test.each([
  ["does not know such a request", "unsupported", 501],
  ["refuses it", "denied", 403],
] as const)("a store that %s is asked for each object", async (_, failure, status) => {
  expect(await removed(failure, status)).toEqual({ single: KEYS, error: undefined });
});

test.each([
  ["is too busy", "busy", 429],
  ["fails", "other", 500],
  ["does not answer", "unreachable", undefined],
] as const)("a store that %s is asked for no single object", async (_, failure, status) => {
  const { single, error } = await removed(failure, status);
  expect(single).toEqual([]);
  expect(error).toBeInstanceOf(StoreError);
});
