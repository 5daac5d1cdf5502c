// Removals from a repository of several resources: interrupted, refused, and two at once.
import { describe, expect, test } from "vitest";
import type { Copy } from "../../../../../../provider/publishing/destinations/destination.ts";
import type { Owner } from "../../../../../../provider/publishing/ownership/owner.ts";
import { otherOwner, OWNER } from "../../../../../simulation/owners.ts";
import { storeBase, storeIndex } from "../../../../../simulation/registryStub.ts";
import { copySite } from "../repositoryCopies.ts";
import { OTHER, sharedRepository } from "./sharedRepository.ts";

const shared = sharedRepository();
const { as, digestIn, place, publish, remove, killedRemoval, compare, left } = shared;

test("a publication waits until another owner's removal of the image has ended, and sends the image again", async () => {
  const copy = await publish(OTHER, "v1");
  const given = await as(OWNER);
  const waiting = Promise.withResolvers<undefined>();
  const context = {
    ...given,
    clock: { ...given.clock, after: (_ms: number, run: () => void) => given.clock.after(1, run) },
    reporter: {
      ...given.reporter,
      progress: (text: string) => text.startsWith("waiting") && waiting.resolve(undefined),
    },
  };
  // the removal has announced itself and found no other owner; its first deletion is on its way
  let published: Promise<Copy> | undefined;
  const removing = await as(OTHER);
  const fetch: typeof removing.fetch = async (url, init) => {
    if (init.method === "DELETE" && published === undefined) {
      published = copySite({ repository: shared.repository }, { files: { "index.html": "v1" }, context });
      await Promise.race([waiting.promise, published]);
    }
    return removing.fetch(url, init);
  };
  await place().release([copy], { ...removing, fetch });
  const again = await published;
  expect(again && (await compare(OWNER, again))).toBe("same");
});

test("an image that the registry does not remove keeps its mark, also where marks can be removed", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = (method, path) =>
    method === "DELETE" && path.endsWith(digestIn(copy)) ? 405 : undefined;
  await remove(OWNER, [copy]);
  expect(shared.lines.warn).toEqual([expect.stringContaining("stays, with its mark")]);
  expect(left().some((name) => name.startsWith("docs-hosting-owner-") && name.endsWith(OWNER.id))).toBe(true);
  shared.registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

test.each([
  ["stops for an owner who came meanwhile", true],
  ["goes on if nobody came", false],
])(
  "a removal that takes longer than its list of tags is proof lists them again, and %s",
  async (_, comes) => {
    storeIndex(shared.registry, "1.30", [storeBase(shared.registry, "amd64")]);
    const base = `${shared.registry.host}/nginx:1.30`;
    const copy = await publish(OWNER, "v1", { base });
    const before = new Map(shared.registry.manifests);
    await publish(OTHER, "v1", { base });
    const mark = [...shared.registry.manifests].filter(([name]) => !before.has(name));
    for (const [name] of mark) shared.registry.manifests.delete(name);
    let now = 0;
    shared.registry.rule = (method) => {
      if (method !== "DELETE" || now > 0) return undefined;
      now = 31_000;
      if (comes) for (const [name, manifest] of mark) shared.registry.manifests.set(name, manifest);
      return undefined;
    };
    const context = await as(OWNER);
    const clock = { ...context.clock, monotonic: () => now };
    const removal = place().release([copy], { ...context, clock });
    if (comes) await expect(removal).rejects.toThrow("is published by another resource while it is removed");
    else await removal;
    const others = mark.some(([name]) => shared.registry.manifests.has(name));
    expect(others).toBe(comes);
  },
);

test("the announcement of a removal that was killed goes with the next one, also if the mark is gone", async () => {
  const copy = await publish(OWNER, "v1");
  await killedRemoval(OWNER, copy);
  for (const name of left()) {
    if (name.startsWith("docs-hosting-owner-")) shared.registry.manifests.delete(name);
  }
  await remove(OWNER, [copy]);
  expect(left().filter((name) => name.startsWith("docs-hosting-"))).toEqual([]);
});

test.each([1, 2, 3])(
  "of a removal that is killed at its step %d, the last one leaves nothing",
  async (step) => {
    const copy = await publish(OWNER, "v1");
    let removals = 0;
    await killedRemoval(OWNER, copy, () => ++removals === step);
    // nothing but the marks is known, as after a refresh that found the image gone
    await remove(OWNER, []);
    expect(left()).toEqual([]);
  },
);

test("of two owners that give an image up at once, one removes it, also if the other has seen its mark", async () => {
  const copy = await publish(OWNER, "v1");
  await publish(OTHER, "v1");
  let isDone = false;
  let removing: Promise<void> | undefined;
  shared.registry.rule = (method) => {
    // the first has decided that the image stays for the other
    if (method !== "DELETE" || isDone) return undefined;
    isDone = true;
    removing = remove(OTHER, [copy]);
    return undefined;
  };
  await remove(OWNER, [copy]);
  await removing;
  expect(left()).toEqual([]);
});

test("a removal that is killed while it gives an image up does not leave its tag to nobody", async () => {
  const copy = await publish(OWNER, "v1", { tag: "latest" });
  await publish(OTHER, "v1", { tag: "prod" });
  const isOfMark = (): boolean => !left().includes("latest");
  await killedRemoval(OWNER, copy, isOfMark, "latest");
  expect(left().some((name) => name.startsWith("docs-hosting-owner-") && name.endsWith(OWNER.id))).toBe(true);
  await place("latest").check([], { ...(await as(otherOwner())), isCreate: true });
  await remove(OWNER, [copy], "latest");
  expect(left().some((name) => name.includes(OWNER.id))).toBe(false);
});

test("an announcement that the registry does not show yet is removed with its mark", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = (method, path) =>
    method === "GET" && path.includes("/docs-hosting-leaving-") ? 404 : undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});

describe("a list of tags that the registry cuts without saying so", () => {
  /** Each list has only the first tags, in their order. */
  const cutAfter = (last: RegExp): void => {
    shared.registry.rule = (method, path) => {
      if (method !== "GET" || !path.endsWith("/tags/list")) return undefined;
      const tags = left()
        .filter((name) => !name.startsWith("sha256:"))
        .sort();
      const end = tags.findIndex((tag) => last.test(tag));
      return { status: 200, body: { name: "docs/site", tags: tags.slice(0, end + 1) } };
    };
  };
  const [first, second] = [OWNER, OTHER].sort((one, other) => (one.id < other.id ? -1 : 1)) as [Owner, Owner];

  test.each([
    ["after the announcement of the removal", /-leaving-/],
    ["after the mark of its resource", new RegExp(`-owner-.*${first.id}$`)],
  ])("%s, is no proof that nobody else has the image", async (_, last) => {
    const copy = await publish(first, "v1");
    await publish(second, "v1");
    cutAfter(last);
    await remove(first, [copy]);
    expect(shared.lines.warn).toEqual([expect.stringContaining("its owners cannot be listed")]);
    shared.registry.rule = undefined;
    expect(await compare(second, copy)).toBe("same");
    // with the whole list, both can go
    for (const owner of [first, second]) await remove(owner, [copy]);
    expect(left()).toEqual([]);
  });

  test("is none in a long removal that lists them again", async () => {
    storeIndex(shared.registry, "1.30", [storeBase(shared.registry, "amd64")]);
    const base = `${shared.registry.host}/nginx:1.30`;
    const copy = await publish(first, "v1", { base });
    const context = await as(first);
    let [now, step] = [0, 0];
    shared.registry.rule = (method) => {
      if (method !== "DELETE") return undefined;
      [now, step] = [31_000, 1_000];
      cutAfter(/-leaving-/);
      return undefined;
    };
    const clock = { ...context.clock, monotonic: () => (now += step) };
    const removal = place().release([copy], { ...context, clock });
    await expect(removal).rejects.toThrow("is published by another resource while it is removed");
    expect(left().some((name) => name.includes("-owner-"))).toBe(true);
  });

  test("does not lose the announcement of a mark that it lacks", async () => {
    const copy = await publish(first, "v1");
    await killedRemoval(first, copy);
    cutAfter(/-leaving-/);
    await remove(first, []);
    expect(left().some((name) => name.includes("-leaving-"))).toBe(true);
  });
});

test("an image whose removal the registry confirms and does not do stays with its mark, and a warning", async () => {
  const copy = await publish(OWNER, "v1");
  shared.registry.rule = (method, path) =>
    method === "DELETE" && path.endsWith(digestIn(copy)) ? 202 : undefined;
  await remove(OWNER, [copy]);
  expect(shared.lines.warn).toEqual([
    expect.stringMatching(
      / stays, with its mark: sha256:\w+ \(it confirms the removal, and does not do it\)/,
    ),
  ]);
  shared.registry.rule = undefined;
  await remove(OWNER, [copy]);
  expect(left()).toEqual([]);
});
