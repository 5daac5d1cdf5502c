// The publications, signatures and removals of an operation: with a destination in memory.
import { describe, expect, test, vi } from "vitest";
import { Semaphore } from "../../../../provider/base/runtime/concurrency/semaphore.ts";
import { PATIENTLY } from "../../../simulation/patience.ts";
import {
  clock,
  compare,
  context,
  copies,
  failure,
  inputsOf,
  link,
  marks,
  place,
  prune,
  publications,
  release,
  reporter,
  useMemoryDestination,
  versions,
} from "./memoryDestination.ts";

useMemoryDestination();

describe("an update that publishes nothing", () => {
  test("signs no other link and removes nothing, when only settings changed", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    const second = await copies.update(context(), first, inputsOf("v1", { keep: 3 }));
    expect(second.outputs).toEqual({ ...first.outputs, keep: 3 });
    expect(link).toHaveBeenCalledOnce();
    expect(prune).not.toHaveBeenCalled();
    expect(publications).toBe(1);
  });

  test("signs another link when the old one is due, and only that", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    clock.wallMs += 16 * 3_600_000;
    const second = await copies.update(context(), first, inputsOf("v1"));
    expect(second.outputs.bundleUrl).toBe("https://store.example/2");
    expect(publications).toBe(1);
  });
});

test("an update removes copies beyond the limit, and nothing else", async () => {
  let state = await copies.create(context(), inputsOf("v1"));
  for (const version of ["v2", "v3"]) state = await copies.update(context(), state, inputsOf(version));
  expect(versions(state)).toEqual(["v3", "v2"]);
  expect(
    prune.mock.calls.map(([, gone, kept]) => [gone, kept].map((each) => each.map(({ copy }) => copy.uri))),
  ).toEqual([[["s3://docs/v1"], ["s3://docs/v3", "s3://docs/v2"]]]);
});

test("an earlier copy that cannot be removed is reported, stays in the state, and is removed with the next update", async () => {
  const first = await copies.create(context(), inputsOf("v1", { keep: 0 }));
  prune.mockRejectedValueOnce(failure());
  const second = await copies.update(context(), first, inputsOf("v2", { keep: 0 }));
  expect(versions(second)).toEqual(["v2", "v1"]);
  expect(reporter.lines.warn).toEqual([
    "an earlier copy could not be removed: s3://docs: the store is away. The next `pulumi up` tries again. Start it.",
  ]);
  const third = await copies.update(context(), second, inputsOf("v2", { keep: 0 }));
  expect(versions(third)).toEqual(["v2"]);
});

test("a publication waits for its turn, which its row says and its time limit does not count; nothing else waits", async () => {
  const slots = new Semaphore(1);
  const first = await copies.create(context({ publications: slots }), inputsOf("v1"));
  let end = (): void => undefined;
  const { signal } = new AbortController();
  const other = slots.run(() => new Promise<void>((resolve) => (end = resolve)), signal, end);
  const hour = 3_600_000;
  const waiting = copies.update(context({ publications: slots }), first, inputsOf("v2"), hour);
  const line = "waiting for other publications to end";
  await vi.waitFor(() => expect(reporter.lines.progress.at(-1)).toBe(line), PATIENTLY);
  for (let hours = 0; hours < 5; hours++) clock.advance(hour);
  await copies.read(context({ publications: slots }), first);
  await copies.update(context({ publications: slots }), first, inputsOf("v1", { keep: 3 }));
  await copies.remove(context({ publications: slots }), first);
  expect([publications, place.size]).toEqual([1, 0]);
  end();
  await other;
  expect(versions(await waiting)).toEqual(["v2", "v1"]);
  expect(clock.pending).toBe(0);
});

describe("a refresh", () => {
  test("records that a copy changed, and forgets a missing one where no other is left", async () => {
    const state = await copies.create(context(), inputsOf("v1"));
    compare.mockResolvedValueOnce("changed");
    const changed = await copies.read(context(), state);
    expect(changed?.state.bookkeeping.drifted).toBe("changed");
    compare.mockResolvedValueOnce("gone");
    marks.clear();
    expect(release).not.toHaveBeenCalled();
    expect(await copies.read(context(), state)).toBeUndefined();
    // its mark goes with it: no later run knows its owner
    expect(release.mock.calls.map(([{ owner }, gone]) => [owner.id, gone])).toEqual([
      [state.bookkeeping.owner, state.bookkeeping.copies],
    ]);
    compare.mockResolvedValueOnce("gone");
    release.mockRejectedValueOnce(failure());
    expect(await copies.read(context(), state)).toBeUndefined();
    expect(copies.gone(state)).toEqual({
      code: "DRIFTED",
      text: "s3://docs/v1 no longer exists. It is removed from the state; the next `pulumi up` creates it again",
    });
  });

  test("keeps the state of a missing copy, where an earlier one must be removed", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    const second = await copies.update(context(), first, inputsOf("v2"));
    place.delete("s3://docs/v2");
    const seen = await copies.read(context(), second);
    expect(seen?.state.bookkeeping).toEqual({ ...second.bookkeeping, drifted: "gone" });
  });

  test("reverts an earlier result, once the copy is as it was", async () => {
    const { outputs, bookkeeping } = await copies.create(context(), inputsOf("v1"));
    const drifted = { outputs, bookkeeping: { ...bookkeeping, drifted: "changed" as const } };
    const seen = await copies.read(context(), drifted);
    expect(seen?.state).toEqual({ outputs, bookkeeping });
    expect(seen?.state.bookkeeping).not.toHaveProperty("drifted");
  });
});
