import { expect, test, vi } from "vitest";
import { dynamicHost } from "../../../../provider/adapters/dynamic/dynamicHost.ts";
import { dynamicProvider } from "../../../../provider/adapters/dynamic/dynamicProvider.ts";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import type { LifeCycle, StoredState } from "../../../../provider/resource/lifeCycle.ts";

const session = new Session(dynamicHost, publications(dynamicHost));

test("a life cycle is loaded once, by the first call that needs it", async () => {
  const check = (inputs: object) => ({ inputs, failures: [] });
  const load = vi.fn(() => ({ check, outputs: {} }) as unknown as LifeCycle<object, StoredState>);
  const provider = dynamicProvider(load, session);
  await provider.configure({ config: { get: () => undefined } });
  expect(load).not.toHaveBeenCalled();
  for (const name of ["one", "two"]) {
    expect(await provider.check({}, { name })).toEqual({ inputs: { name }, failures: [] });
  }
  expect(load).toHaveBeenCalledTimes(1);
});

test("a life cycle that cannot be loaded fails the call, and the next one tries again", async () => {
  const load = vi.fn(() => {
    throw new Error("Cannot find module");
  });
  const provider = dynamicProvider(load, session);
  for (let times = 0; times < 2; times++) {
    await expect(provider.check({}, {})).rejects.toThrow("Cannot find module");
  }
  expect(load).toHaveBeenCalledTimes(2);
});
