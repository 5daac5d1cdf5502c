import { expect, test, vi } from "vitest";
import { unlessAborted } from "../../../../../provider/base/runtime/time/clock.ts";

const never = new Promise<never>(() => undefined);

test("the result or error of the work is passed on", async () => {
  const { signal } = new AbortController();
  await expect(unlessAborted(Promise.resolve(7), signal)).resolves.toBe(7);
  const error = new Error("broken");
  await expect(unlessAborted(Promise.reject(error), signal)).rejects.toBe(error);
});

test("an abort ends it at once with the signal's reason, though the work continues", async () => {
  const reason = new Error("Ctrl-C");
  const stop = new AbortController();
  const ended = unlessAborted(never, stop.signal);
  stop.abort(reason);
  await expect(ended).rejects.toBe(reason);
  await expect(unlessAborted(never, stop.signal)).rejects.toBe(reason);
});

test("no listener stays at the signal", async () => {
  const { signal } = new AbortController();
  const came = vi.spyOn(signal, "addEventListener");
  const left = vi.spyOn(signal, "removeEventListener");
  await unlessAborted(Promise.resolve(), signal);
  expect(left).toHaveBeenCalledExactlyOnceWith("abort", came.mock.calls[0]?.[1]);
});
