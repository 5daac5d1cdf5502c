// A place belongs to one resource: what users do with a place, at a real store of each protocol, for both layouts.
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import type {
  Copy,
  Destination,
  DestinationContext,
} from "../../provider/publishing/destinations/destination.ts";
import { destinationOf } from "../../provider/publishing/destinations/destinationOf.ts";
import { newOwner } from "../../provider/publishing/ownership/owner.ts";
import { COPY_URN, otherOwner, OWNER } from "../simulation/owners.ts";
import { makeBundle, operation } from "./bucketOperation.ts";
import { EACH_STORE } from "./stores/kinds.ts";
import type { BucketStore } from "./stores/store.ts";

const SIBLING = COPY_URN.replace(/docs$/, "other");

/** A place, and the operations of several owners on it. */
interface Table {
  readonly place: Destination;
  readonly as: (more?: Partial<DestinationContext>) => Promise<Awaited<ReturnType<typeof operation>>>;
  /** Publishes other content each time. */
  readonly publish: (more?: Partial<DestinationContext>) => Promise<{ copy: Copy; lines: string }>;
  /** @returns what it says */
  readonly remove: (copies: readonly Copy[], more?: Partial<DestinationContext>) => Promise<string>;
  readonly left: () => Promise<string[]>;
  readonly put: BucketStore["put"];
}

const state = { isCreate: false };

const OPERATIONS: Readonly<Record<string, (table: Table) => Promise<void>>> = {
  async "two versions, and a destroy"({ publish, remove, left }) {
    const { copy } = await publish();
    const { copy: next } = await publish(state);
    await remove([next, copy], state);
    expect(await left()).toEqual([]);
  },
  async "a replacement: the copies go with the last owner"({ place, as, publish, remove, left }) {
    const { copy } = await publish();
    const owner = newOwner(COPY_URN);
    const { copy: replaced, lines } = await publish({ owner });
    expect(lines).toContain("is taken over");
    expect(await remove([copy], state)).toContain("nothing is removed");
    expect(await place.compare(replaced, await as({ owner, ...state }))).toBe("same");
    await remove([replaced], { owner, ...state });
    expect(await left()).toEqual([]);
  },
  async "a create elsewhere of the same name"({ publish, remove, left }) {
    const { copy } = await publish();
    const owner = newOwner(COPY_URN);
    const { copy: theirs } = await publish({ owner });
    await expect(publish(state)).rejects.toThrow("whose owner ID is not");
    expect(await remove([copy], state)).toContain("nothing is removed");
    await remove([theirs], { owner, ...state });
    expect(await left()).toEqual([]);
  },
  async "a resource of the stack that is renamed, and one that the program declares"({
    publish,
    remove,
    left,
  }) {
    await publish();
    const owner = newOwner(SIBLING);
    await expect(publish({ owner, isDeclared: () => true })).rejects.toThrow("which this program declares");
    const { copy, lines } = await publish({ owner, isDeclared: () => false });
    expect(lines).toContain("is taken over");
    await remove([copy], { owner, ...state });
    expect(await left()).toEqual([]);
  },
  async "another stack, without and with takeOver"({ publish, remove, left }) {
    const { copy } = await publish();
    const owner = otherOwner();
    const before = await left();
    await expect(publish({ owner })).rejects.toThrow(`belongs to ${COPY_URN}`);
    expect(await remove([], { owner, ...state })).toContain("it belongs to");
    expect(await left()).toEqual(before);
    const { copy: theirs, lines } = await publish({ owner, takeOver: true });
    expect(lines).toContain("`takeOver` is set");
    await expect(publish(state)).rejects.toThrow("belongs to");
    await remove([copy], state);
    await remove([theirs], { owner, ...state });
    expect(await left()).toEqual([]);
  },
  async "a mark that is none"({ publish, remove, left, put }) {
    const { copy } = await publish();
    await put("docs/.docs-hosting/owner.json", "<html>Sign in</html>");
    const before = await left();
    await expect(publish({ ...state, takeOver: true })).rejects.toThrow("cannot be read");
    expect(await remove([copy], state)).toContain("These stay");
    expect(await left()).toEqual(before);
  },
};

describe.each(EACH_STORE)("%s:", (_name, kind) => {
  beforeEach(() => {
    vi.unstubAllEnvs();
    for (const [name, value] of Object.entries(kind.environment)) vi.stubEnv(name, value);
  });

  describe.each(["archive", "site"] as const)("the layout %s:", (layout) => {
    test.for(Object.keys(OPERATIONS))("%s", { timeout: 120_000 }, async (name, context) => {
      await OPERATIONS[name]?.(tableOf(await kind.start(context), layout, context));
    });
  });
});

function tableOf(store: BucketStore, layout: "archive" | "site", context: TestContext): Table {
  const place = destinationOf({ ...store.place, prefix: "docs", layout });
  const as: Table["as"] = async (more) => ({
    ...(await operation(context)),
    owner: OWNER,
    isCreate: true,
    ...more,
  });
  return {
    place,
    as,
    async publish(more) {
      const own = await as(more);
      const bundle = await makeBundle(context, 1_000);
      await place.check([], own);
      const draft = await place.begin(bundle, own);
      try {
        const page = Buffer.from(`<h1>${bundle.sha256}</h1>`);
        await draft.sink?.file({ path: "index.html", size: page.length }, Readable.from([page]));
        return { copy: await draft.publish(), lines: own.lines.join("\n") };
      } catch (error) {
        await draft.abandon?.();
        throw error;
      }
    },
    async remove(copies, more) {
      const own = await as(more);
      await place.remove(copies, [], own);
      return own.lines.join("\n");
    },
    left: () => store.keys("docs/"),
    put: (key, content) => store.put(key, content),
  };
}
