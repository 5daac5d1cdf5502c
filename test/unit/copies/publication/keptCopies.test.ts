// Which earlier copies `keep` leaves: with a destination in memory.
import { describe, expect, test } from "vitest";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import {
  clock,
  compare,
  context,
  copies,
  failure,
  inputsOf,
  notes,
  onPlacing,
  place,
  prune,
  unfinished,
  useMemoryDestination,
  versions,
} from "./memoryDestination.ts";

useMemoryDestination();

describe("what is not whole takes no place of an earlier copy", () => {
  const earlier = ({ outputs }: BundleCopyState): string[] =>
    (outputs.earlier ?? []).map(({ version }) => version);
  const there = (): string[] => [...place].map((uri) => uri.slice("s3://docs/".length)).sort();
  /** An update to a version of which only a part is published. */
  async function publishedInPart(state: BundleCopyState, version: string): Promise<BundleCopyState> {
    onPlacing(() => {
      throw failure();
    });
    compare.mockImplementation((_context, { copy }) =>
      Promise.resolve(copy.uri.endsWith(version) ? "changed" : "same"),
    );
    const failed = await unfinished(copies.update(context(), state, inputsOf(version)));
    onPlacing(() => undefined);
    return failed.state;
  }
  /** Updates one after another, each of which ends. */
  async function published(...all: string[]): Promise<BundleCopyState> {
    const [first = "", ...others] = all;
    let state = await copies.create(context(), inputsOf(first));
    for (const version of others) state = await copies.update(context(), state, inputsOf(version));
    notes.operationEnded();
    return state;
  }

  test("a publication that failed in part is removed, and the whole copy before it stays", async () => {
    const failed = await publishedInPart(await published("v1"), "v2");
    expect(failed.bookkeeping.drifted).toBe("partial");
    notes.operationEnded();
    const third = await copies.update(context(), failed, inputsOf("v3"));
    expect([earlier(third), versions(third), there()]).toEqual([["v1"], ["v3", "v1"], ["v1", "v3"]]);
  });

  test("a copy that a refresh found gone is forgotten, and the one before it stays", async () => {
    const second = await published("v1", "v2");
    place.delete("s3://docs/v2");
    const seen = await copies.read(context(), second);
    if (!seen) throw new Error("no state");
    const third = await copies.update(context(), seen.state, inputsOf("v3"));
    expect([earlier(third), versions(third), there()]).toEqual([["v1"], ["v3", "v1"], ["v1", "v3"]]);
  });

  test("what a killed run left incomplete is removed, and no output names it", async () => {
    const first = await published("v1");
    await publishedInPart(first, "v2");
    const again = await copies.update(context(), first, inputsOf("v1"));
    expect([earlier(again), versions(again), there()]).toEqual([[], ["v1"], ["v1"]]);
  });

  test("going back after a publication that failed in part keeps the whole copy before", async () => {
    const failed = await publishedInPart(await published("v1", "v2"), "v3");
    notes.operationEnded();
    const back = await copies.update(context(), failed, inputsOf("v2"));
    expect([earlier(back), versions(back), there()]).toEqual([["v1"], ["v2", "v1"], ["v1", "v2"]]);
  });

  test("an incomplete copy that cannot be removed now is what the next update removes", async () => {
    const failed = await publishedInPart(await published("v1"), "v2");
    notes.operationEnded();
    prune.mockRejectedValueOnce(failure());
    const third = await copies.update(context(), failed, inputsOf("v3"));
    expect([earlier(third), versions(third)]).toEqual([["v1"], ["v3", "v2", "v1"]]);
    const decision = copies.diff(inputsOf("v3"), third, { name: "m", nowMs: clock.now() }).decision.text;
    expect(decision).toBe("earlier copies at s3://docs are removed: 1");
    const again = await copies.update(context(), third, inputsOf("v3"));
    expect([versions(again), there()]).toEqual([
      ["v3", "v1"],
      ["v1", "v3"],
    ]);
  });

  test("a copy that has changed is no earlier one, and stays as long as an older one does: pods may use it", async () => {
    const second = await published("v1", "v2");
    compare.mockResolvedValueOnce("changed");
    const seen = await copies.read(context(), second);
    if (!seen) throw new Error("no state");
    const third = await copies.update(context(), seen.state, inputsOf("v3"));
    expect([earlier(third), there()]).toEqual([["v1"], ["v1", "v2", "v3"]]);
    const fourth = await copies.update(context(), third, inputsOf("v4"));
    expect([earlier(fourth), there()]).toEqual([["v3"], ["v3", "v4"]]);
  });

  test("what a run of an earlier version recorded, which may be incomplete, removes no whole copy", async () => {
    const second = await published("v1", "v2");
    await copies.update(context(), second, inputsOf("v3", { keep: 3 }));
    for (const [key, note] of notes.notes) notes.notes.set(key, note.replace(',"isWhole":true', ""));
    const back = await copies.update(context(), second, inputsOf("v2", { keep: 3 }));
    expect([earlier(back), there()]).toEqual([["v1"], ["v1", "v2", "v3"]]);
  });

  test("a publication again under the same address is whole", async () => {
    const failed = await publishedInPart(await published("v1"), "v2");
    notes.operationEnded();
    compare.mockResolvedValue("same");
    const second = await copies.update(context(), failed, inputsOf("v2"));
    const third = await copies.update(context(), second, inputsOf("v3"));
    expect([earlier(third), there()]).toEqual([["v2"], ["v2", "v3"]]);
  });
});
