import { expect, test } from "vitest";
import {
  type DynamicProvider,
  loadedByFirstCall,
} from "../../../../provider/adapters/dynamic/dynamicProvider.ts";

const CALLS = ["configure", "check", "diff", "create", "read", "update", "delete"] as const;

test("a provider is loaded once, by its first call, and gets each call with what it was given", async () => {
  let loads = 0;
  const loaded = Object.fromEntries(
    CALLS.map((call) => [call, (...given: unknown[]) => Promise.resolve([call, ...given])]),
  );
  const provider = loadedByFirstCall(() => {
    loads++;
    return loaded as unknown as DynamicProvider;
  });
  expect(loads).toBe(0);
  const calls = provider as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  for (const call of CALLS)
    expect(await calls[call]?.("one", "two", "three")).toEqual([call, "one", "two", "three"]);
  expect(loads).toBe(1);
});

test("a provider that cannot be loaded fails the call, and the next one tries again", async () => {
  const provider = loadedByFirstCall(() => {
    throw new Error("Cannot find module");
  });
  for (let times = 0; times < 2; times++)
    await expect(provider.configure({} as never)).rejects.toThrow("Cannot find module");
});
