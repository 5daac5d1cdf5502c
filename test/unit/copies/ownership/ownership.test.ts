// The rights of an owner at a place: what it waits for, what it removes, and what it says.
import { beforeEach, describe, expect, test } from "vitest";
import { newOwner, type Owner } from "../../../../provider/copies/ownership/owner.ts";
import { Ownership } from "../../../../provider/copies/ownership/ownership.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";
import { MemoryMarks } from "./memoryMarks.ts";

const URN = "urn:pulumi:dev::docs::docs-hosting:index:BundleCopy::copy";
const OTHER_URN = "urn:pulumi:prod::website::docs-hosting:index:BundleCopy::site";
const OWNER = newOwner(URN);
const OTHER = newOwner(OTHER_URN);

let marks: MemoryMarks;
let clock: VirtualClock;
let reporter: ReturnType<typeof recordingReporter>;
let stop: AbortController;
/** The items that are there. */
let items: Set<string>;
beforeEach(() => {
  marks = new MemoryMarks();
  clock = new VirtualClock();
  reporter = recordingReporter();
  stop = new AbortController();
  items = new Set(["a", "b"]);
});

const as = (owner: Owner): Ownership =>
  new Ownership(marks, { clock, reporter, signal: stop.signal, owner }, (item) => `place/${item}`);
const ours = (): Ownership => as(OWNER);
const release = (names: readonly string[], owner = OWNER): Promise<void> =>
  as(owner).release(
    names,
    (item) => Promise.resolve(items.has(item)),
    (gone) => {
      for (const item of gone) items.delete(item);
      return Promise.resolve();
    },
  );
const owners = (item = "a"): string[] => [...(marks.written.get(item)?.keys() ?? [])];

describe("a publication", () => {
  test("writes its mark at once when nobody is leaving", async () => {
    await marks.write("a", OTHER);
    await ours().claim("a");
    expect([owners(), clock.waits]).toEqual([[OTHER.id, OWNER.id], []]);
  });

  test("waits while another owner removes the same item, and for no other item", async () => {
    await marks.leave("a", OTHER);
    await marks.leave("b", OTHER);
    const claim = ours().claim("a");
    clock.after(1_100, () => void marks.remove("a", OTHER.id));
    await clock.run(claim);
    expect(clock.monotonic()).toBe(1_250);
    expect(reporter.lines.progress).toContain("waiting for another owner that is removing place/a");
    expect(reporter.lines.warn).toEqual([]);
  });

  test("waits 60 s at most: the mark of the other owner counts again, and a warning names its stack", async () => {
    await marks.write("a", OTHER);
    await marks.leave("a", OTHER);
    await clock.run(ours().claim("a"));
    expect(clock.monotonic()).toBe(60_000);
    expect((await marks.list("a"))?.map(({ isLeaving }) => isLeaving)).toEqual([false, false]);
    expect(reporter.lines.warn).toEqual([
      `${OTHER_URN} (stack website/prod) has been removing place/a for 1m, and was probably stopped: its mark counts again`,
    ]);
    await release(["a"]);
    expect(items.has("a")).toBe(true);
  });

  test("takes back what its own stopped removal announced, and does not wait for it", async () => {
    await marks.leave("a", OWNER);
    await ours().claim("a");
    expect(clock.waits).toEqual([]);
    expect((await marks.list("a"))?.[0]?.isLeaving).toBe(false);
  });

  test("that is stopped while it waits ends with the reason", async () => {
    await marks.leave("a", OTHER);
    clock.after(300, () => stop.abort(new Error("stopped")));
    await expect(clock.run(ours().claim("a"))).rejects.toThrow("stopped");
  });

  test("does not wait at a place that lists no marks", async () => {
    await marks.leave("a", OTHER);
    marks.isListed = false;
    await ours().claim("a");
    expect(clock.waits).toEqual([]);
  });

  test("at a place whose items share files waits for removals of any item, and says whether there were any", async () => {
    expect(await ours().waitForOthers()).toBe(false);
    await marks.leave("b", OTHER);
    clock.after(200, () => void marks.remove("b", OTHER.id));
    expect(await clock.run(ours().waitForOthers())).toBe(true);
  });

  const failure = new Error("the disk is full");
  test.each<[string, () => Promise<boolean>, boolean]>([
    ["takes its mark back when nothing of the item is there", () => Promise.resolve(false), false],
    ["keeps its mark when some of the item is there", () => Promise.resolve(true), true],
    ["keeps its mark when nobody can tell", () => Promise.reject(new Error("away")), true],
  ])("that fails %s", async (_, exists, isMarked) => {
    const run = ours().publish("a", exists, () => Promise.reject(failure));
    await expect(run).rejects.toBe(failure);
    expect(owners()).toEqual(isMarked ? [OWNER.id] : []);
  });

  test("that fails keeps its error when its mark cannot be taken back, either", async () => {
    const remove = (): Promise<void> => Promise.reject(new Error("away"));
    marks.remove = remove;
    const run = ours().publish(
      "a",
      () => Promise.resolve(false),
      () => Promise.reject(failure),
    );
    await expect(run).rejects.toBe(failure);
  });
});

describe("a removal", () => {
  test("removes an item that only this owner has, with its mark", async () => {
    await marks.write("a", OWNER);
    await release(["a"]);
    expect([[...items], owners(), reporter.lines]).toEqual([["b"], [], { info: [], warn: [], progress: [] }]);
  });

  test("leaves an item that another owner has, and a line names its stack and URN", async () => {
    for (const owner of [OWNER, OTHER]) await marks.write("a", owner);
    await release(["a"]);
    expect([items.has("a"), owners()]).toEqual([true, [OTHER.id]]);
    expect(reporter.lines.info).toEqual([
      `place/a stays: it also belongs to ${OTHER_URN} (stack website/prod)`,
    ]);
  });

  test("of a resource that is replaced does not name its own URN as that of another owner", async () => {
    for (const owner of [OWNER, newOwner(URN)]) await marks.write("a", owner);
    await release(["a"]);
    expect(reporter.lines.info).toEqual([
      "place/a stays: it also belongs to the resource that replaces this one",
    ]);
  });

  test("removes an item whose other owner is removing it, too", async () => {
    for (const owner of [OWNER, OTHER]) await marks.write("a", owner);
    await marks.leave("a", OTHER);
    await release(["a"]);
    expect(items.has("a")).toBe(false);
  });

  test("removes the items of this owner alone, and the shared one stays", async () => {
    for (const item of ["a", "b"]) await marks.write(item, OWNER);
    await marks.write("b", OTHER);
    await release(["a", "b"]);
    expect([[...items], owners("b")]).toEqual([["b"], [OTHER.id]]);
  });

  test("leaves an item without the own mark, with a warning", async () => {
    await release(["a"]);
    expect(items.has("a")).toBe(true);
    expect(reporter.lines.warn).toEqual([
      "place/a stays: it has no mark of this resource, so somebody else may have put it there. Remove it if it is no longer needed",
    ]);
  });

  test("leaves an item with the mark of another owner alone, and names that", async () => {
    await marks.write("a", OTHER);
    await release(["a"]);
    expect(reporter.lines.warn).toEqual([`place/a stays: it belongs to ${OTHER_URN} (stack website/prod)`]);
    expect(owners()).toEqual([OTHER.id]);
  });

  test("says nothing of an item that is gone, and takes its mark away", async () => {
    items.clear();
    await marks.write("b", OWNER);
    await release(["a", "b"]);
    expect([reporter.lines.warn, marks.written.size]).toEqual([[], 0]);
  });

  test("that is stopped touches nothing more", async () => {
    await marks.write("a", OWNER);
    stop.abort(new Error("stopped"));
    await expect(release(["a"])).rejects.toThrow("stopped");
    expect((await marks.list("a"))?.[0]?.isLeaving).toBe(false);
  });

  test("that fails keeps what it announced: the next one completes it", async () => {
    await marks.write("a", OWNER);
    const run = ours().release(
      ["a"],
      () => Promise.resolve(true),
      () => Promise.reject(new Error("away")),
    );
    await expect(run).rejects.toThrow("away");
    expect((await marks.list("a"))?.[0]?.isLeaving).toBe(true);
    await release(["a"]);
    expect([items.has("a"), owners()]).toEqual([false, []]);
  });

  describe("at a place that lists no marks", () => {
    test("leaves the item, takes its own mark away, and says so", async () => {
      await marks.write("a", OWNER);
      marks.isListed = false;
      await release(["a"]);
      expect([items.has("a"), owners()]).toEqual([true, []]);
      expect(reporter.lines.warn).toEqual([
        "place/a stays, because its owners cannot be listed. Remove it if no other stack uses it, or allow the list",
      ]);
    });

    test("says nothing of an item that is gone", async () => {
      marks.isListed = false;
      items.clear();
      await release(["a"]);
      expect(reporter.lines.warn).toEqual([]);
    });
  });

  describe("of a state of a version without marks", () => {
    const EARLIER: Owner = { ...OWNER, hasMarks: false };

    test("removes an item without any mark, as before", async () => {
      await release(["a"], EARLIER);
      expect([items.has("a"), marks.written.size]).toEqual([false, 0]);
    });

    test("leaves an item with the mark of another owner", async () => {
      await marks.write("a", OTHER);
      await release(["a"], EARLIER);
      expect(items.has("a")).toBe(true);
      expect(reporter.lines.warn).toEqual([`place/a stays: it belongs to ${OTHER_URN} (stack website/prod)`]);
    });
  });
});

describe("a mark with", () => {
  test.each<[string, string | undefined]>([
    ["no text", undefined],
    ["broken text", "{"],
    ["the text of others", '"mine"'],
    ["null", "null"],
    ["no URN", "{}"],
    ["a URN that is none", '{ "urn": "https://example.com" }'],
    ["control characters in its URN", JSON.stringify({ urn: "urn:pulumi:a::b::c::d\n\u001b[31m" })],
    ["a URN of any length", JSON.stringify({ urn: `urn:pulumi:${"a".repeat(2_000)}` })],
  ])("%s counts as an owner, and is named", async (_, text) => {
    await marks.write("a", OWNER);
    marks.put("a", "somebody's", { text });
    await release(["a"]);
    expect(items.has("a")).toBe(true);
    expect(reporter.lines.info).toEqual([
      "place/a stays: it also belongs to an owner whose mark marks/a/somebody's names no resource",
    ]);
  });

  test("a URN without a stack is shown as it is", async () => {
    await marks.write("a", OWNER);
    marks.put("a", "x", { text: '{ "urn": "urn:pulumi:copy" }' });
    await release(["a"]);
    expect(reporter.lines.info[0]).toContain("belongs to urn:pulumi:copy (stack unknown)");
  });
});

test("of 10,000 marks of one item, few are read and few are named", async () => {
  await marks.write("a", OWNER);
  for (let number = 0; number < 10_000; number++) marks.put("a", `m${number}`, { text: "" });
  await release(["a"]);
  expect(items.has("a")).toBe(true);
  expect(reporter.lines.info[0]).toContain(" and 9997 more");
  expect(reporter.lines.info[0]?.length).toBeLessThan(1_000);
  expect(marks.reads).toBe(3);
  marks.reads = 0;
  await ours().otherOwners("a");
  expect(marks.reads).toBeLessThan(110);
});

describe("a comparison", () => {
  test("finds the own mark, and that it is gone", async () => {
    expect(await ours().compared("a")).toBe("unmarked");
    await marks.write("a", OTHER);
    expect(await ours().compared("a")).toBe("unmarked");
    await ours().claim("a");
    expect(await ours().compared("a")).toBe("same");
    await marks.leave("a", OWNER);
    expect(await ours().compared("a")).toBe("unmarked");
  });

  test("finds nothing where marks are not listed, or were never written", async () => {
    expect(await as({ ...OWNER, hasMarks: false }).compared("a")).toBe("same");
    marks.isListed = false;
    expect(await ours().compared("a")).toBe("same");
  });
});

test("other owners are those who stay, without a resource that this one replaces", async () => {
  expect(await ours().otherOwners("a")).toBeUndefined();
  await marks.write("a", newOwner(URN));
  await marks.leave("a", newOwner(OTHER_URN));
  expect(await ours().otherOwners("a")).toBeUndefined();
  await marks.write("a", OTHER);
  expect(await ours().otherOwners("a")).toBe(`${OTHER_URN} (stack website/prod)`);
  marks.isListed = false;
  expect(await ours().otherOwners("a")).toBeUndefined();
});

test("own items are those with a mark of this owner, also one that it was removing", async () => {
  await marks.write("a", OTHER);
  await marks.write("b", OWNER);
  await marks.leave("c", OWNER);
  expect(await ours().ownItems()).toEqual(["b", "c"]);
  marks.isListed = false;
  expect(await ours().ownItems()).toEqual([]);
});

test("the newest item is the one that an owner who stays published last", async () => {
  for (const item of ["a", "b", "c"]) await marks.write(item, OTHER);
  await marks.write("a", OWNER);
  await marks.write("d", OTHER);
  await marks.leave("d", OTHER);
  expect(await ours().newestFirst()).toEqual(["a", "c", "b"]);
});
